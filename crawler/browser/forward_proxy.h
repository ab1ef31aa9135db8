// An HTTP proxy on 127.0.0.1 through which all traffic of the browser goes, so that it obeys linkherd's rules.
//
// It accepts CONNECT, and plain requests for http URLs, with the credentials of an open page; no other program knows
// them. It resolves every name itself, refuses addresses that linkherd must not contact, follows --connect-to, and ends
// the traffic of a page at its limit. Each connection serves one request. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/net/connect_rules.h"
#include "crawler/fetch/net/resolver.h"
#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Describes what a page has used of the network.
struct PageTraffic {
  // A request that the proxy did not carry out.
  struct Refusal {
    std::string host;
    std::uint16_t port = 0;
    std::string reason;  // a message for people
  };

  std::size_t bytes = 0;
  bool is_cut = false;              // the page wanted more bytes than it may load
  std::vector<Refusal> refusals{};  // the first ones
};

struct ProxyCredentials {
  std::string user;
  std::string password;
};

class ForwardProxy {
 public:
  static constexpr std::size_t max_connections = 512;
  static constexpr std::size_t max_head_bytes = std::size_t{64} << 10;
  static constexpr std::size_t max_refusals = 100;  // kept of a page

  // Listens on a port that the kernel chooses. Both `resolver` and `options` must outlive this object. Throws
  // std::system_error, and std::runtime_error if an option is unusable.
  ForwardProxy(boost::asio::io_context& io, Resolver& resolver, const FetchOptions& options);
  ForwardProxy(const ForwardProxy&) = delete;
  ForwardProxy& operator=(const ForwardProxy&) = delete;

  std::uint16_t port() const { return port_; }

  // Serves connections until stop(), and returns when the last one has ended. The object must live until then.
  boost::asio::awaitable<void> run();
  void stop();

  // Lets a page load at most `max_bytes`. Returns the key of the page.
  int open_page(std::size_t max_bytes);
  ProxyCredentials credentials(int page) const;
  const PageTraffic& traffic(int page) const;  // of an open page
  PageTraffic close_page(int page);            // ends its connections and returns what it has used

 private:
  using tcp = boost::asio::ip::tcp;
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Page {
    std::size_t max_bytes = 0;
    std::string authorization{};  // the value of the header that its requests must have
    PageTraffic traffic{};
  };
  struct Connection {
    explicit Connection(tcp::socket accepted);
    tcp::socket client;
    tcp::socket server;
    int page = 0;                                 // 0: not known yet
    int directions = 0;                           // coroutines that use the connection
    TimePoint head_due = TimePoint::max();        // the request must be complete
    TimePoint connection_due = TimePoint::max();  // the server must have accepted
  };
  using ConnectionEntry = std::list<Connection>::iterator;
  struct Request;

  boost::asio::awaitable<void> serve(ConnectionEntry connection);
  boost::asio::awaitable<void> handle(ConnectionEntry entry);
  boost::asio::awaitable<std::string> read_head(Connection& connection);
  boost::asio::awaitable<Result<void>> connect(Connection& connection, const parser::Url& url);
  boost::asio::awaitable<Result<std::vector<IpAddress>>> find_addresses(const parser::Url& url, std::uint16_t& port);
  boost::asio::awaitable<void> send_to_server(ConnectionEntry connection, std::string first, std::size_t max_bytes);
  boost::asio::awaitable<void> relay(Connection& connection, tcp::socket& from, tcp::socket& to, std::size_t max_bytes);
  boost::asio::awaitable<bool> relay_response_head(Connection& connection);
  boost::asio::awaitable<bool> write(Connection& connection, tcp::socket& to, std::string_view bytes);
  void refuse(const Connection& connection, const parser::Url& url, const std::string& reason);
  bool count_bytes(Connection& connection, std::size_t bytes);
  int find_page(std::string_view authorization) const;
  void finish(ConnectionEntry connection);
  void watch_deadlines();

  boost::asio::io_context& io_;
  Resolver& resolver_;
  const FetchOptions& options_;
  const std::vector<ConnectRule> rules_;
  const std::string password_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer ended_;  // cancelled when the last connection has ended
  std::list<Connection> connections_;
  std::map<int, Page> pages_;
  int last_page_ = 0;
  bool is_stopped_ = false;
};

}  // namespace linkherd::crawler
