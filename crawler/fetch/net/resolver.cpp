#include "crawler/fetch/net/resolver.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <ares.h>
#include <arpa/nameser.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/socket.h>

#include "crawler/fetch/net/dns_query.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr Duration keep_failure = std::chrono::seconds(60);
constexpr Duration keep_lie = std::chrono::seconds(5);  // better servers may become reachable at any time
constexpr std::size_t max_cached_names = 100'000;

int family_of(IpFamily family) {
  return family == IpFamily::v4 ? AF_INET : family == IpFamily::v6 ? AF_INET6 : AF_UNSPEC;
}

// Returns "com" for "www.example.com.".
std::string last_label(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return std::string(host.substr(host.rfind('.') + 1));
}

// Returns the final failure after the same servers were queried for the top-level domain. If that gives no answer
// either, an error is the servers' fault, and a denial is not reliable.
FailureKind without_doubt(FailureKind doubted, int top_level_status) {
  if (top_level_status == ARES_SUCCESS || top_level_status == ARES_ENODATA) return doubted;
  if (failure_from_ares(top_level_status) == FailureKind::interrupted) return FailureKind::interrupted;
  if (top_level_status == ARES_ENOTFOUND || doubted == FailureKind::dns_failed) return FailureKind::dns_untrusted;
  return FailureKind::dns_failed;
}

}  // namespace

struct Resolver::Query {
  Resolver* resolver;
  std::string host;
  std::vector<Handler> waiting;
  QueryStage stage = QueryStage::first;
  Timestamp asked_at{};
  bool is_in_thread = false;                // a thread of `system_` looks it up
  FailureKind doubted = FailureKind::none;  // the servers' answer, until it is clear whether it is reliable
};

// A domain: whether the servers know it, and the hosts below it that wait for the answer.
struct Resolver::Domain {
  Resolver* resolver;
  std::string name;
  QueryStage stage = QueryStage::first;
  bool is_queried = false;
  bool exists = false;
  Timestamp denied_until{};
  std::vector<std::string> waiting{};

  bool is_top_level() const { return name.find('.') == std::string::npos; }
};

Resolver::Resolver(asio::io_context& io, SocketSet& sockets, const Clock& clock, const FetchOptions& options,
                   int threads)
    : io_(io),
      sockets_(sockets),
      clock_(clock),
      options_(options),
      timer_(io),
      name_servers_(options.resolver == ResolverKind::system ? std::vector<std::string>() : options.dns_servers),
      system_(threads) {
  if (options_.resolver == ResolverKind::system) return;
  sockets_.on_event(SocketSet::Owner::dns, [this](const SocketSet::Event& event) {
    const bool broken = event.broken;  // c-ares detects the failure by reading
    process(event.readable || broken ? event.socket : ARES_SOCKET_BAD, event.writable ? event.socket : ARES_SOCKET_BAD);
  });
  name_servers_.open(options_.connect_timeout, &Resolver::on_socket_state, this);
}

Resolver::~Resolver() { is_cancelled_ = true; }

void Resolver::process(int readable, int writable) {
  name_servers_.process(readable, writable);
  failure_.rethrow();
}

asio::awaitable<Resolution> Resolver::resolve(const std::string& host, bool anew) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Resolution)>(
      [this](auto handler, const std::string& name, bool is_query) {
        start(name, is_query, Handler(std::move(handler)));
      },
      asio::use_awaitable, host, anew);
}

const Resolution* Resolver::find_cached(const std::string& host, bool anew) const {
  const auto found = cache_.find(host);
  if (found == cache_.end() || found->second.expires <= clock_.now()) return nullptr;
  const Resolution& resolution = found->second;
  return anew && resolution.failure != FailureKind::none ? nullptr : &resolution;
}

void Resolver::start(const std::string& host, bool anew, Handler handler) {
  if (is_cancelled_) {
    complete(std::move(handler), {.failure = FailureKind::interrupted});
    return;
  }
  if (const Resolution* cached = find_cached(host, anew)) {
    complete(std::move(handler), *cached);
    return;
  }
  std::unique_ptr<Query>& query = queries_[host];
  const bool is_new = query == nullptr;
  if (is_new) query = std::make_unique<Query>(Query{this, host, {}, QueryStage::first, clock_.now()});
  query->waiting.push_back(std::move(handler));
  if (!is_new) return;
  failure_.guard(0, [this, &query] {
    start_query(*query);
    return 0;
  });
  // The event loop throws it, not the coroutine that has just been suspended. The query ends with all others.
  if (failure_.is_set()) asio::post(io_, [this] { failure_.rethrow(); });
}

void Resolver::start_query(Query& query) {
  if (!is_plain_host_name(query.host)) {
    start_in_thread(query, [question = DnsQuery{.host = query.host,
                                                .family = options_.family,
                                                .servers = name_servers_.servers(query.stage),
                                                .timeout = options_.connect_timeout,
                                                .has_ipv6_route = name_servers_.has_ipv6_route()}] {
      return query_name_servers(question);
    });
  } else if (options_.resolver == ResolverKind::system) {
    start_in_thread(query, [host = query.host, family = options_.family] { return query_system(host, family); });
  } else {
    ares_addrinfo_hints hints{};
    hints.ai_family = family_of(options_.family);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = ARES_AI_NOSORT;
    // May call back at once, which may destroy the query.
    ares_getaddrinfo(name_servers_.channel(query.stage), query.host.c_str(), nullptr, &hints, &Resolver::on_answer,
                     &query);
  }
  if (!queries_.empty() && !ticking_) tick();
}

void Resolver::start_in_thread(Query& query, std::function<Resolution()> look_up) {
  query.is_in_thread = true;
  system_.start(std::move(look_up), [this, host = query.host](Resolution answer) {
    asio::post(io_,
               [this, host, answer = std::move(answer)]() mutable { take_system_answer(host, std::move(answer)); });
  });
}

void Resolver::take_system_answer(const std::string& host, Resolution answer) {
  const auto found = queries_.find(host);
  if (found == queries_.end() || is_cancelled_) return;  // the query has timed out
  Query& query = *found->second;
  query.is_in_thread = false;
  // A server that said "no such host" a moment ago is reachable.
  if (answer.failure == FailureKind::dns_timeout && query.stage == QueryStage::confirmation &&
      !answer.is_local_exhaustion)
    answer.failure = FailureKind::dns_failed;
  if (answer.failure == FailureKind::dns_not_found && query.stage != QueryStage::confirmation)
    return repeat_query(query, QueryStage::confirmation);
  const bool is_doubtful = answer.failure == FailureKind::dns_not_found || answer.failure == FailureKind::dns_failed;
  if (is_doubtful && options_.resolver == ResolverKind::c_ares) return doubt(query, answer.failure);
  answer.expires = clock_.now() + keep_failure;
  finish(query, std::move(answer));
}

// Ends overdue queries of threads, because getaddrinfo has no configurable timeout.
void Resolver::end_overdue() {
  if (!system_.has_started()) return;
  const Timestamp oldest = clock_.now() - options_.connect_timeout;
  std::vector<Query*> overdue;
  for (const auto& [host, query] : queries_) {
    if (query->is_in_thread && query->asked_at < oldest) overdue.push_back(query.get());
  }
  for (Query* query : overdue) fail(*query, FailureKind::dns_timeout, keep_failure);
}

void Resolver::on_answer(void* data, int status, int /*timeouts*/, ares_addrinfo* result) {
  const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(result, &ares_freeaddrinfo);
  Query& query = *static_cast<Query*>(data);
  Resolver& resolver = *query.resolver;
  resolver.failure_.guard(0, [&resolver, &query, status, result] {
    resolver.take_answer(query, status, result);
    return 0;
  });
}

void Resolver::take_answer(Query& query, int status, const ares_addrinfo* result) {
  FailureKind failure = failure_from_ares(status);
  if (failure == FailureKind::dns_not_found && query.stage != QueryStage::confirmation) {
    repeat_query(query, QueryStage::confirmation);
  } else if (failure == FailureKind::dns_not_found) {
    doubt(query, failure);
  } else if (status == ARES_ECONNREFUSED && has_run_out_of_sockets()) {
    finish(query, {.failure = failure, .is_local_exhaustion = true});
  } else if (status == ARES_ECONNREFUSED && query.stage == QueryStage::first) {
    repeat_query(query, QueryStage::diagnosis);
  } else if (failure != FailureKind::none || result == nullptr) {
    // A server that said "no such host" a moment ago is reachable.
    if (failure == FailureKind::dns_timeout && query.stage == QueryStage::confirmation)
      failure = FailureKind::dns_failed;
    if (failure == FailureKind::dns_failed) return doubt(query, failure);
    fail(query, failure, keep_failure);
  } else {
    finish(query, read_addresses(*result, name_servers_.has_ipv6_route(), clock_.now()));
  }
}

void Resolver::repeat_query(Query& query, QueryStage stage) {
  query.stage = stage;
  // Posted, because this may run inside a callback of c-ares.
  asio::post(io_, [this, host = query.host] {
    const auto found = queries_.find(host);
    if (found != queries_.end() && !is_cancelled_) start_query(*found->second);
  });
}

// A denial or an error is evidence about a host only if the same servers know its top-level domain. Names that no zone
// can contain, and names outside the public DNS, may be denied by any server.
void Resolver::doubt(Query& query, FailureKind failure) {
  query.doubted = failure;
  const std::string name = last_label(query.host);
  if (!options_.questions_denials() || !parser::is_top_level_domain(name)) {
    return fail(query, failure, keep_failure);
  }
  Domain& domain = domain_of(name);
  if (domain.exists) return explain(query, failure);
  if (clock_.now() < domain.denied_until) return fail(query, FailureKind::dns_untrusted, keep_lie);
  wait_for(domain, query);
}

// Finds out whether the registrable domain of a missing host exists.
void Resolver::explain(Query& query, FailureKind failure) {
  if (failure != FailureKind::dns_not_found) return fail(query, failure, keep_failure);
  const std::string name = parser::registrable_domain(std::string_view(query.host));
  Domain& domain = domain_of(name);
  const bool denied = name == query.host || clock_.now() < domain.denied_until;
  if (!domain.exists && !denied) return wait_for(domain, query);
  fail(query, failure, keep_failure, domain.exists ? DomainState::exists : DomainState::missing);
}

Resolver::Domain& Resolver::domain_of(const std::string& name) {
  std::unique_ptr<Domain>& domain = domains_[name];
  if (!domain) domain = std::make_unique<Domain>(Domain{.resolver = this, .name = name});
  return *domain;
}

void Resolver::wait_for(Domain& domain, const Query& query) {
  domain.waiting.push_back(query.host);
  if (!domain.is_queried) query_domain(domain, QueryStage::first);
}

// Queries NS records instead of addresses: many resolvers answer A and AAAA queries for single-label names themselves,
// with a denial.
void Resolver::query_domain(Domain& domain, QueryStage stage) {
  domain.is_queried = true;
  domain.stage = stage;
  // Posted, because this may run inside a callback of c-ares.
  asio::post(io_, [this, &domain] {
    if (is_cancelled_) return;
    ares_query(name_servers_.channel(domain.stage), domain.name.c_str(), ns_c_in, ns_t_ns, &Resolver::on_domain_answer,
               &domain);
  });
}

void Resolver::on_domain_answer(void* data, int status, int /*timeouts*/, unsigned char* /*message*/, int /*length*/) {
  Domain& domain = *static_cast<Domain*>(data);
  Resolver& resolver = *domain.resolver;
  resolver.failure_.guard(0, [&resolver, &domain, status] {
    resolver.take_domain_answer(domain, status);
    return 0;
  });
}

void Resolver::take_domain_answer(Domain& domain, int status) {
  if (status == ARES_ENOTFOUND && domain.stage != QueryStage::confirmation)
    return query_domain(domain, QueryStage::confirmation);
  domain.is_queried = false;
  domain.exists = status == ARES_SUCCESS || status == ARES_ENODATA;
  if (status == ARES_ENOTFOUND) domain.denied_until = clock_.now() + (domain.is_top_level() ? keep_lie : keep_failure);
  for (const std::string& host : std::exchange(domain.waiting, {})) {
    const auto found = queries_.find(host);
    if (found == queries_.end()) continue;
    Query& query = *found->second;
    if (!domain.is_top_level()) {
      const DomainState known = status == ARES_ENOTFOUND ? DomainState::missing : DomainState::unknown;
      fail(query, query.doubted, keep_failure, domain.exists ? DomainState::exists : known);
      continue;
    }
    const FailureKind failure = without_doubt(query.doubted, status);
    if (failure == query.doubted) {
      explain(query, failure);
    } else {
      fail(query, failure, failure == FailureKind::dns_untrusted ? keep_lie : keep_failure);
    }
  }
}

void Resolver::finish(Query& query, Resolution resolution) {
  const auto ended = queries_.extract(query.host);
  for (Handler& handler : ended.mapped()->waiting) complete(std::move(handler), resolution);
  if (resolution.failure == FailureKind::interrupted || resolution.is_local_exhaustion) return;
  if (cache_.size() >= max_cached_names) forget_expired();
  cache_[query.host] = std::move(resolution);
}

void Resolver::fail(Query& query, FailureKind failure, Duration keep, DomainState domain) {
  finish(query, {.failure = failure, .domain = domain, .expires = clock_.now() + keep});
}

void Resolver::forget_expired() {
  std::erase_if(cache_, [now = clock_.now()](const auto& entry) { return entry.second.expires <= now; });
  if (cache_.size() >= max_cached_names) cache_.clear();
  std::erase_if(domains_, [](const auto& entry) { return !entry.second->is_queried && !entry.second->is_top_level(); });
}

void Resolver::complete(Handler handler, Resolution resolution) {
  asio::post(io_, [handler = std::move(handler), resolution = std::move(resolution)]() mutable {
    std::move(handler)(std::move(resolution));
  });
}

void Resolver::cancel_all() {
  is_cancelled_ = true;
  name_servers_.cancel();
  // c-ares does not know queries between two stages.
  while (!queries_.empty()) fail(*queries_.begin()->second, FailureKind::interrupted, {});
}

// c-ares has no timer of its own. Polling it while queries are pending costs less than asking for its next timeout.
void Resolver::tick() {
  ticking_ = !queries_.empty();
  if (!ticking_) return;
  timer_.expires_after(std::chrono::milliseconds(25));
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    end_overdue();
    tick();
  });
}

void Resolver::on_socket_state(void* self, int socket, int readable, int writable) {
  Resolver& resolver = *static_cast<Resolver*>(self);
  resolver.failure_.guard(0, [&resolver, socket, readable, writable] {
    if (readable == 0 && writable == 0) {
      resolver.sockets_.forget(socket);
    } else if (!resolver.sockets_.watch(socket, SocketSet::Owner::dns, readable != 0, writable != 0)) {
      throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
    return 0;
  });
}

}  // namespace linkherd::crawler
