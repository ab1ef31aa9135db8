// Resolves host names to addresses, with a cache. Used by one thread.
//
// It uses c-ares (with the system's or given name servers, A and AAAA together) or the system's own resolver. Names
// that neither accepts are queried by dns_query.h. Concurrent requests for the same name share one query.
//
// "No such host" is not believed at once, because a network without Internet access often has a name server that denies
// everything. For "www.gone.example.com", the steps are:
// 1. Query the name. If it is denied, query it again, at another server if there is one (stage `confirmation`).
// 2. If it is denied again, query the name servers of "com". If "com" is denied too, the servers lie, and the result is
//    `dns_untrusted`.
// 3. If "com" exists, the denial is believed. Query "example.com" to report whether the registrable domain exists
//    (DomainState).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/name_servers.h"
#include "crawler/fetch/net/socket_set.h"
#include "crawler/fetch/net/system_lookup.h"
#include "parser/callback_failure.h"

namespace linkherd::crawler {

// The existence of the registrable domain of a missing host, according to the name servers.
enum class DomainState : std::uint8_t { unknown, exists, missing };

struct Resolution {
  FailureKind failure = FailureKind::none;
  // At most 16. IPv6 comes first, but only if this machine has an IPv6 route or there is no other address.
  std::vector<IpAddress> addresses;
  bool is_local_exhaustion = false;  // no socket could be opened for the query
  DomainState domain = DomainState::unknown;
};

struct ResolverSettings {
  ResolverKind kind = ResolverKind::c_ares;
  std::vector<std::string> servers{};  // "IP" or "IP:PORT"; empty: the system's
  IpFamily family = IpFamily::any;
  Duration timeout{};                   // a query ends within this time, whatever the servers do
  int system_threads = 1;               // for ResolverKind::system, and for names that c-ares refuses
  bool should_question_denials = true;  // has no effect for ResolverKind::system, whose answers are too imprecise
};

class Resolver {
 public:
  Resolver(boost::asio::io_context& io, SocketSet& sockets, const Clock& clock, ResolverSettings settings);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // If `anew` is set, a cached failure is ignored and the servers are queried again.
  boost::asio::awaitable<Resolution> resolve(const std::string& host, bool anew);
  void cancel_all();  // current and all later queries end as interrupted

 private:
  using Handler = boost::asio::any_completion_handler<void(Resolution)>;
  enum class Stage {
    first,
    diagnosis,     // no usable answer: finds out whether any answers arrived
    confirmation,  // repeats a query after "no such host"
  };
  struct Query;
  struct Domain;
  struct CacheEntry {
    Resolution resolution;
    Timestamp expires;
  };

  static void on_socket_state(void* self, int socket, int readable, int writable);
  static void on_answer(void* query, int status, int timeouts, ares_addrinfo* result);
  static void on_domain_answer(void* domain, int status, int timeouts, unsigned char* message, int length);
  std::vector<std::string> other_servers_first() const;
  void start_in_thread(Query& query, std::function<SystemAnswer()> look_up);
  void take_system_answer(const std::string& host, SystemAnswer answer);
  void end_overdue();
  void process(int readable, int writable);
  void start(const std::string& host, bool anew, Handler handler);
  const Resolution* find_cached(const std::string& host, bool anew) const;
  void start_query(Query& query);
  void take_answer(Query& query, int status, const ares_addrinfo* result);
  void repeat_query(Query& query, Stage stage);
  void doubt(Query& query, FailureKind failure);
  void explain(Query& query, FailureKind failure);
  Domain& domain_of(const std::string& name);
  void wait_for(Domain& domain, const Query& query);
  void query_domain(Domain& domain, Stage stage);
  void take_domain_answer(Domain& domain, int status);
  void finish(Query& query, Resolution resolution, Duration keep);
  void complete(Handler handler, Resolution resolution);
  void tick();
  void forget_expired();

  boost::asio::io_context& io_;
  SocketSet& sockets_;
  const Clock& clock_;
  const ResolverSettings settings_;
  boost::asio::steady_timer timer_;
  bool ticking_ = false;
  bool is_cancelled_ = false;
  bool has_ipv6_route_;
  std::vector<std::string> servers_;  // "IP:PORT"
  std::unordered_map<std::string, std::unique_ptr<Query>> queries_;
  std::unordered_map<std::string, CacheEntry> cache_;
  std::unordered_map<std::string, std::unique_ptr<Domain>> domains_;  // domains that were queried
  CallbackFailure failure_;                                           // an exception in a callback of c-ares
  // Declared last, because their destruction completes every query. c-ares reports an error from every server
  // (SERVFAIL, REFUSED) as if no server had answered. A second channel that passes errors through distinguishes the two
  // cases. A third starts with another server.
  AresChannel channel_, diagnosis_channel_, confirmation_channel_;
  std::unique_ptr<SystemLookup> system_;
};

}  // namespace linkherd::crawler
