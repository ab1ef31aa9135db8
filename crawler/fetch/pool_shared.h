// What the fetch threads of one pool share: settings, budgets, the way out, and who owns which domain.
#pragma once

#include <string>
#include <vector>

#include "crawler/bounded_queue.h"
#include "crawler/clock.h"
#include "crawler/fetch/address_limiter.h"
#include "crawler/fetch/byte_budget.h"
#include "crawler/fetch/connect_map.h"
#include "crawler/fetch/extra_headers.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/fetch/fetch_result.h"
#include "crawler/fetch/slots.h"
#include "crawler/fetch/thread_failure.h"
#include "crawler/fetch/transfer.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

class FetchThread;

struct PoolShared {
  // Throws std::runtime_error where an option cannot be used: a rule of --connect-to, a certificate file.
  PoolShared(const FetchOptions& options, const Clock& clock, ByteBudget& bodies, BoundedQueue<FetchResult>& results,
             AttemptObserver& observer);

  FetchThread& owner_of(const parser::Url& url) const;  // by registrable domain

  const FetchOptions options;
  const int thread_count;
  const TransferSettings transfers;
  const ConnectMap connect_map;
  const ExtraHeaders extra_headers;
  const Clock& clock;
  ByteBudget& bodies;
  BoundedQueue<FetchResult>& results;
  AttemptObserver& observer;
  Slots slots;
  AddressLimiter addresses;
  ThreadFailure failure;
  std::vector<FetchThread*> owners;  // set once, before the first request
};

}  // namespace linkherd::crawler
