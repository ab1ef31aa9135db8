// Host names to addresses, with a cache, through c-ares (the system's name servers or given ones, A and AAAA together)
// or through the system's own resolver; one query for all who ask for a name at the same time. "No such host" is asked
// twice before it is believed, of another server where there is one, and then only of servers that know the name's
// top-level domain: a network without a way out often has a name server that denies everything. Then they are asked
// whether the host's registrable domain is there. One thread's.
#pragma once

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

// What the name servers say of the registrable domain of a host that does not exist.
enum class DomainState : std::uint8_t { unknown, there, gone };

struct Resolution {
  FailureKind failure = FailureKind::none;
  // At most 16. IPv6 comes first, but only where this machine has a route for it or there is nothing else.
  std::vector<IpAddress> addresses;
  bool is_local_exhaustion = false;  // no socket could be opened to ask with
  DomainState domain = DomainState::unknown;
};

struct ResolverSettings {
  ResolverKind kind = ResolverKind::c_ares;
  std::vector<std::string> servers{};  // "IP" or "IP:PORT"; none: the system's
  IpFamily family = IpFamily::any;
  Duration timeout{};                   // a question ends within this, whatever the servers do
  int system_threads = 1;               // for ResolverKind::system
  bool should_question_denials = true;  // not for ResolverKind::system, which says too little
};

class Resolver {
 public:
  Resolver(boost::asio::io_context& io, SocketSet& sockets, const Clock& clock, ResolverSettings settings);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `anew`: a failure that is remembered does not count, the servers are asked again.
  boost::asio::awaitable<Resolution> resolve(const std::string& host, bool anew);
  void cancel_all();  // those under way, and all that come later, end as interrupted

 private:
  using Handler = boost::asio::any_completion_handler<void(Resolution)>;
  enum class Stage {
    first,
    diagnosis,     // no usable answer came: were there answers at all?
    confirmation,  // of "no such host"
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
  void ask_system(Query& query);
  void take_system_answer(const std::string& host, SystemAnswer answer);
  void end_overdue();
  void process(int readable, int writable);
  void start(const std::string& host, bool anew, Handler handler);
  const Resolution* find_cached(const std::string& host, bool anew) const;
  void ask(Query& query);
  void take_answer(Query& query, int status, const ares_addrinfo* result);
  void ask_again(Query& query, Stage stage);
  void doubt(Query& query, FailureKind failure);
  void explain(Query& query, FailureKind failure);
  Domain& domain_of(const std::string& name);
  void wait_for(Domain& domain, const Query& query);
  void ask_about(Domain& domain, Stage stage);
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
  std::unordered_map<std::string, std::unique_ptr<Query>> queries_;
  std::unordered_map<std::string, CacheEntry> cache_;
  std::unordered_map<std::string, std::unique_ptr<Domain>> domains_;  // those that were asked about
  CallbackFailure failure_;                                           // in what c-ares called
  // Last: their end completes every query. To c-ares an error from every server (SERVFAIL, REFUSED) looks as if there
  // were no server at all; a second channel that hands errors through tells the one from the other.
  // A third asks the other servers first.
  AresChannel channel_, diagnosis_channel_, confirmation_channel_;
  std::unique_ptr<SystemLookup> system_;
};

}  // namespace linkherd::crawler
