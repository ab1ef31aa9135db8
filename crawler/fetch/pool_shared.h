// What the fetch threads of one pool share: settings, budgets, the way out, and who owns which domain.
#pragma once

#include <string>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/fetch_pool.h"
#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/address_limiter.h"
#include "crawler/fetch/net/connect_map.h"
#include "crawler/fetch/net/slots.h"
#include "crawler/fetch/net/transfer.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

class FetchThread;

struct PoolShared {
  // Throws std::runtime_error where an option cannot be used: a rule of --connect-to, a certificate file.
  PoolShared(const FetchOptions& options, const Clock& clock, ByteBudget& bodies, BoundedQueue<FetchResult>& results,
             AttemptObserver& observer, PassOn pass_on);

  FetchThread& owner_of(const parser::Url& url) const;  // by registrable domain
  // How many connections a thread keeps, in use or idle: curl's time for each of them grows with their number.
  std::size_t connections_of_thread() const;

  const FetchOptions options;
  const int thread_count;
  const TransferSettings transfers;
  const ConnectMap connect_map;
  const ExtraHeaders extra_headers;
  const Clock& clock;
  ByteBudget& bodies;
  BoundedQueue<FetchResult>& results;
  AttemptObserver& observer;
  const PassOn pass_on;
  Slots slots;
  AddressLimiter addresses;
  ThreadFailure failure;
  std::vector<FetchThread*> owners;  // set once, before the first request
};

}  // namespace linkherd::crawler
