// State that the fetch threads of one pool share: settings, limits, the result queue, and the owner of each domain.
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
#include "crawler/fetch/net/connect_rules.h"
#include "crawler/fetch/net/slots.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

class FetchThread;

struct PoolShared {
  // Throws std::runtime_error if an option is unusable, such as a --connect-to rule or a certificate file.
  PoolShared(const FetchOptions& options, const Clock& clock, ByteBudget& bodies, BoundedQueue<FetchResult>& results,
             OnAttempt on_attempt, HandOver hand_over);

  FetchThread& owner_of(const parser::Url& url) const;  // by registrable domain
  // Returns how many connections a thread keeps, in use or idle. The time that curl spends on each of them grows with
  // their number.
  std::size_t connections_of_thread() const;

  const FetchOptions options;  // without empty values that stand for a default
  const int thread_count;
  const std::vector<ConnectRule> connect_rules;
  const ExtraHeaders extra_headers;
  const Clock& clock;
  ByteBudget& bodies;
  BoundedQueue<FetchResult>& results;
  const OnAttempt on_attempt;
  const HandOver hand_over;
  Slots slots;
  AddressLimiter addresses;
  ThreadFailure failure;
  std::vector<FetchThread*> owners;  // set once, before the first request
};

}  // namespace linkherd::crawler
