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

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/net/name_servers.h"
#include "crawler/fetch/net/resolution.h"
#include "crawler/fetch/net/socket_set.h"
#include "crawler/fetch/net/system_lookup.h"
#include "parser/callback_failure.h"

namespace linkherd::crawler {

class Resolver {
 public:
  // `threads` is for lookups with the system's resolver, and for names that c-ares refuses. `options` must outlive this
  // object; a query ends within its connect timeout, whatever the servers do.
  Resolver(boost::asio::io_context& io, SocketSet& sockets, const Clock& clock, const FetchOptions& options,
           int threads);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // If `anew` is set, a cached failure is ignored and the servers are queried again.
  boost::asio::awaitable<Resolution> resolve(const std::string& host, bool anew);
  void cancel_all();  // current and all later queries end as interrupted

 private:
  using Handler = boost::asio::any_completion_handler<void(Resolution)>;
  struct Query;
  struct Domain;

  static void on_socket_state(void* self, int socket, int readable, int writable);
  static void on_answer(void* query, int status, int timeouts, ares_addrinfo* result);
  static void on_domain_answer(void* domain, int status, int timeouts, unsigned char* message, int length);
  void start_in_thread(Query& query, std::function<Resolution()> look_up);
  void take_system_answer(const std::string& host, Resolution answer);
  void end_overdue();
  void process(int readable, int writable);
  void start(const std::string& host, bool anew, Handler handler);
  const Resolution* find_cached(const std::string& host, bool anew) const;
  void start_query(Query& query);
  void take_answer(Query& query, int status, const ares_addrinfo* result);
  void repeat_query(Query& query, QueryStage stage);
  void doubt(Query& query, FailureKind failure);
  void explain(Query& query, FailureKind failure);
  Domain& domain_of(const std::string& name);
  void wait_for(Domain& domain, const Query& query);
  void query_domain(Domain& domain, QueryStage stage);
  void take_domain_answer(Domain& domain, int status);
  void finish(Query& query, Resolution resolution);
  void fail(Query& query, FailureKind failure, Duration keep, DomainState domain = DomainState::unknown);
  void complete(Handler handler, Resolution resolution);
  void tick();
  void forget_expired();

  boost::asio::io_context& io_;
  SocketSet& sockets_;
  const Clock& clock_;
  const FetchOptions& options_;
  boost::asio::steady_timer timer_;
  bool ticking_ = false;
  bool is_cancelled_ = false;
  std::unordered_map<std::string, std::unique_ptr<Query>> queries_;
  std::unordered_map<std::string, Resolution> cache_;
  std::unordered_map<std::string, std::unique_ptr<Domain>> domains_;  // domains that were queried
  CallbackFailure failure_;                                           // an exception in a callback of c-ares
  // Declared last, because their destruction completes every query.
  NameServers name_servers_;
  SystemLookup system_;
};

}  // namespace linkherd::crawler
