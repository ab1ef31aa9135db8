#include "crawler/browser/forward_proxy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>

#include "crawler/browser/coroutine_end.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/net/permitted_target.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t chunk_bytes = std::size_t{16} << 10;
constexpr std::chrono::seconds max_head_time{10};
constexpr std::chrono::milliseconds deadline_interval{250};

constexpr std::string_view login_required =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"linkherd\"\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view refused_tunnel =
    "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view bad_request = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view tunnel_opened = "HTTP/1.1 200 Connection established\r\n\r\n";

// Headers that concern only the connection between the browser and the proxy.
constexpr std::array<std::string_view, 8> connection_headers{
    "connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"};

std::string random_password() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::vector<ConnectRule> usable_rules(const std::vector<std::string>& texts) {
  Result<std::vector<ConnectRule>> rules = parse_connect_rules(texts);
  if (!rules) throw std::runtime_error(rules.error().message);
  return std::move(*rules);
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

// The head of a request, and the bytes that came after it.
struct ForwardProxy::Request {
  bool is_tunnel = false;
  std::string method;
  parser::Url url;
  std::string authorization{};
  std::string headers{};  // for the server, as whole lines
  std::size_t body_bytes = 0;
  std::string body_begin{};

  // Returns nullopt for anything that a browser does not send.
  static std::optional<Request> parse(std::string_view text);
};

std::optional<ForwardProxy::Request> ForwardProxy::Request::parse(std::string_view text) {
  const std::size_t head_end = text.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return std::nullopt;
  std::string_view head = text.substr(0, head_end);
  const std::string_view first = next_line(head);
  const std::size_t method_end = first.find(' ');
  const std::size_t target_end = first.rfind(' ');
  if (method_end == std::string_view::npos || target_end <= method_end) return std::nullopt;
  const std::string_view method = first.substr(0, method_end);
  const std::string_view target = first.substr(method_end + 1, target_end - method_end - 1);
  if (!first.substr(target_end).starts_with(" HTTP/1.") || target.find(' ') != std::string_view::npos)
    return std::nullopt;
  const bool is_tunnel = method == "CONNECT";
  Result<parser::Url> url = parser::Url::parse(is_tunnel ? fmt::format("https://{}/", target) : std::string(target));
  if (!url || (is_tunnel ? url->path() != "/" : url->scheme() != "http") || !url->username().empty())
    return std::nullopt;
  Request request{.is_tunnel = is_tunnel, .method = std::string(method), .url = std::move(*url)};
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string name = parser::to_ascii_lower(line.substr(0, colon));
    const std::string_view value = parser::trim_ascii(line.substr(colon + 1));
    if (name == "proxy-authorization") request.authorization = value;
    if (name == "transfer-encoding") return std::nullopt;
    if (name == "content-length") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), request.body_bytes);
      if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
    }
    if (!parser::is_one_of(connection_headers, name)) request.headers += fmt::format("{}\r\n", line);
  }
  request.body_begin = text.substr(head_end + 4);
  return request;
}

ForwardProxy::Connection::Connection(tcp::socket accepted)
    : client(std::move(accepted)), server(client.get_executor()) {}

ForwardProxy::ForwardProxy(asio::io_context& io, Resolver& resolver, const FetchOptions& options)
    : io_(io),
      resolver_(resolver),
      options_(options),
      rules_(usable_rules(options.connect_to)),
      password_(random_password()),
      acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      port_(acceptor_.local_endpoint().port()),
      deadline_timer_(io),
      ended_(io, TimePoint::max()) {}

asio::awaitable<void> ForwardProxy::run() {
  watch_deadlines();
  while (!is_stopped_) {
    error_code error;
    tcp::socket client = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (is_stopped_) break;
    if (error == asio::error::no_descriptors) {
      // The browser tries again; other connections may free descriptors until then.
      asio::steady_timer pause(io_, deadline_interval);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    if (error || connections_.size() >= max_connections) continue;
    const auto connection = connections_.emplace(connections_.end(), std::move(client));
    connection->head_due = std::chrono::steady_clock::now() + max_head_time;
    connection->directions = 1;
    asio::co_spawn(io_, serve(connection), rethrow_failure);
  }
  while (!connections_.empty()) {
    error_code ignored;
    co_await ended_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void ForwardProxy::stop() {
  is_stopped_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  deadline_timer_.cancel();
  for (Connection& connection : connections_) {
    connection.client.close(ignored);
    connection.server.close(ignored);
  }
}

int ForwardProxy::open_page(std::size_t max_bytes) {
  const int page = ++last_page_;
  const ProxyCredentials login = credentials(page);
  pages_[page] = {.max_bytes = max_bytes, .authorization = basic_authorization(login.user + ":" + login.password)};
  return page;
}

ProxyCredentials ForwardProxy::credentials(int page) const { return {fmt::format("page-{}", page), password_}; }

const PageTraffic& ForwardProxy::traffic(int page) const { return pages_.at(page).traffic; }

PageTraffic ForwardProxy::close_page(int page) {
  error_code ignored;
  for (Connection& connection : connections_) {
    if (connection.page != page) continue;
    connection.client.close(ignored);
    connection.server.close(ignored);
  }
  PageTraffic traffic = std::move(pages_.at(page).traffic);
  pages_.erase(page);
  return traffic;
}

int ForwardProxy::find_page(std::string_view authorization) const {
  const auto found = std::ranges::find_if(
      pages_, [authorization](const auto& entry) { return entry.second.authorization == authorization; });
  return found == pages_.end() ? 0 : found->first;
}

asio::awaitable<void> ForwardProxy::serve(ConnectionEntry connection) {
  co_await handle(connection);
  error_code ignored;
  connection->client.close(ignored);
  connection->server.close(ignored);
  finish(connection);
}

void ForwardProxy::finish(ConnectionEntry connection) {
  if (--connection->directions > 0) return;
  connections_.erase(connection);
  if (connections_.empty()) ended_.cancel();
}

asio::awaitable<void> ForwardProxy::handle(ConnectionEntry entry) {
  Connection& connection = *entry;
  const std::string head = co_await read_head(connection);
  connection.head_due = TimePoint::max();
  std::optional<Request> request = Request::parse(head);
  if (!request) {
    if (!head.empty()) co_await write(connection, connection.client, bad_request);
    co_return;
  }
  connection.page = find_page(request->authorization);
  if (connection.page == 0) {
    spdlog::debug(fmt::format("browser proxy: {} {} without credentials", request->method, request->url.origin()));
    co_await write(connection, connection.client, login_required);
    co_return;
  }
  Result<void> connected = co_await connect(connection, request->url);
  if (!pages_.contains(connection.page)) co_return;  // closed in the meantime
  if (!connected) {
    const std::string reason = connected.error().message;
    refuse(connection, request->url, reason);
    // A page would take a response to a plain request for one of the host, so it only sees that the connection ends.
    if (request->is_tunnel) co_await write(connection, connection.client, refused_tunnel);
    co_return;
  }
  ++connection.directions;
  if (request->is_tunnel) {
    asio::co_spawn(io_, send_to_server(entry, std::move(request->body_begin), unlimited), rethrow_failure);
    const bool is_open = co_await write(connection, connection.client, tunnel_opened);
    if (is_open) co_await relay(connection, connection.server, connection.client, unlimited);
    co_return;
  }
  const parser::Url& url = request->url;
  std::string target(url.path());
  if (url.has_query()) target += fmt::format("?{}", url.query());
  const std::string host = url.port() ? fmt::format("{}:{}", url.host(), *url.port()) : std::string(url.host());
  std::string first = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}\r\n", request->method, target,
                                  host, request->headers);
  // Exactly one request is sent: a second one on this connection could be for another host.
  const std::size_t begun = std::min(request->body_begin.size(), request->body_bytes);
  first += request->body_begin.substr(0, begun);
  asio::co_spawn(io_, send_to_server(entry, std::move(first), request->body_bytes - begun), rethrow_failure);
  const bool continues = co_await relay_response_head(connection);
  if (continues) co_await relay(connection, connection.server, connection.client, unlimited);
}

asio::awaitable<std::string> ForwardProxy::read_head(Connection& connection) {
  std::string head;
  std::string chunk(chunk_bytes, '\0');
  while (head.size() < max_head_bytes) {
    error_code error;
    const std::size_t length = co_await connection.client.async_read_some(
        asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return std::string();
    const std::size_t searched = head.size() < 3 ? 0 : head.size() - 3;
    head.append(chunk, 0, length);
    if (head.find("\r\n\r\n", searched) != std::string::npos) break;
  }
  co_return head;
}

asio::awaitable<Result<std::vector<IpAddress>>> ForwardProxy::find_addresses(const parser::Url& url,
                                                                             std::uint16_t& port) {
  const PermittedTarget permitted = find_permitted_target(rules_, options_.addresses, url.host(), url.effective_port());
  port = permitted.target.port;
  std::vector<IpAddress> addresses;
  if (const auto literal = IpAddress::parse(permitted.target.host)) {
    addresses = {*literal};
  } else {
    Resolution resolution = co_await resolver_.resolve(permitted.target.host, false);
    if (resolution.failure != FailureKind::none) co_return Error{std::string(find_meaning(resolution.failure).message)};
    addresses = std::move(resolution.addresses);
  }
  const std::optional<IpAddress> refused = remove_refused(permitted, options_.addresses, addresses);
  if (refused) co_return Error{fmt::format("it has an address in a private network: {}", refused->to_string())};
  co_return addresses;
}

asio::awaitable<Result<void>> ForwardProxy::connect(Connection& connection, const parser::Url& url) {
  const Page& page = pages_.at(connection.page);
  if (page.traffic.bytes >= page.max_bytes) co_return Error{"the page has loaded too much"};
  std::uint16_t port = 0;
  const Result<std::vector<IpAddress>> addresses = co_await find_addresses(url, port);
  if (!addresses) co_return addresses.error();
  error_code error = asio::error::host_unreachable;
  for (const IpAddress& ip : *addresses) {
    if (!connection.client.is_open()) co_return Error{"the browser closed the connection"};
    const tcp::endpoint endpoint(asio::ip::make_address(ip.to_string()), port);
    connection.server = tcp::socket(io_);
    connection.connection_due = std::chrono::steady_clock::now() + options_.connect_timeout;
    co_await connection.server.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error));
    connection.connection_due = TimePoint::max();
    if (!error) {
      spdlog::debug(fmt::format("browser proxy: page {} connects to {} at {}:{}", connection.page, url.origin(),
                                ip.in_url(), port));
      co_return Result<void>();
    }
  }
  co_return Error{error == asio::error::operation_aborted ? "the connection was not established in time"
                                                          : "the connection failed: " + error.message()};
}

void ForwardProxy::refuse(const Connection& connection, const parser::Url& url, const std::string& reason) {
  spdlog::debug(fmt::format("browser proxy: page {} may not use {}: {}", connection.page, url.origin(), reason));
  std::vector<PageTraffic::Refusal>& refusals = pages_.at(connection.page).traffic.refusals;
  if (refusals.size() < max_refusals) refusals.push_back({std::string(url.host()), url.effective_port(), reason});
}

asio::awaitable<void> ForwardProxy::send_to_server(ConnectionEntry connection, std::string first,
                                                   std::size_t max_bytes) {
  const bool is_written = co_await write(*connection, connection->server, first);
  if (is_written) co_await relay(*connection, connection->client, connection->server, max_bytes);
  finish(connection);
}

// Tells the browser that the connection ends with this response, whatever the server says. Returns false if the
// response has ended; Asio never completes a read after the end.
asio::awaitable<bool> ForwardProxy::relay_response_head(Connection& connection) {
  constexpr std::size_t max_status_line = 8192;
  std::string begin;
  std::string chunk(chunk_bytes, '\0');
  error_code error;
  while (!error && begin.find('\n') == std::string::npos && begin.size() < max_status_line) {
    const std::size_t length = co_await connection.server.async_read_some(
        asio::buffer(chunk), asio::redirect_error(asio::use_awaitable, error));
    if (!count_bytes(connection, length)) co_return false;
    begin.append(chunk, 0, length);
  }
  const std::size_t end = begin.find('\n');
  if (end != std::string::npos && begin.starts_with("HTTP/1.")) begin.insert(end + 1, "Connection: close\r\n");
  const bool is_written = co_await write(connection, connection.client, begin);
  co_return is_written && !error;
}

asio::awaitable<void> ForwardProxy::relay(Connection& connection, tcp::socket& from, tcp::socket& to,
                                          std::size_t max_bytes) {
  std::string chunk(chunk_bytes, '\0');
  error_code error;
  while (max_bytes > 0) {
    const std::size_t length =
        co_await from.async_read_some(asio::buffer(chunk.data(), std::min(chunk.size(), max_bytes)),
                                      asio::redirect_error(asio::use_awaitable, error));
    if (error || !count_bytes(connection, length)) break;
    const std::string_view part(chunk.data(), length);
    const bool is_written = co_await write(connection, to, part);
    if (!is_written) break;
    if (max_bytes != unlimited) max_bytes -= length;
  }
  error_code ignored;
  if (error == asio::error::eof) to.shutdown(tcp::socket::shutdown_send, ignored);
}

asio::awaitable<bool> ForwardProxy::write(Connection& connection, tcp::socket& to, std::string_view bytes) {
  error_code error;
  co_await asio::async_write(to, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
  if (!error) co_return true;
  // The other direction must not wait for a peer that has gone.
  error_code ignored;
  connection.client.close(ignored);
  connection.server.close(ignored);
  co_return false;
}

// Returns false if the page has used up what it may load, and then ends all its connections.
bool ForwardProxy::count_bytes(Connection& connection, std::size_t bytes) {
  const auto found = pages_.find(connection.page);
  if (found == pages_.end()) return false;
  PageTraffic& traffic = found->second.traffic;
  traffic.bytes += bytes;
  if (traffic.bytes <= found->second.max_bytes) return true;
  traffic.is_cut = true;
  spdlog::debug(fmt::format("browser proxy: page {} has loaded too much", connection.page));
  error_code ignored;
  for (Connection& one : connections_) {
    if (one.page != connection.page) continue;
    one.client.close(ignored);
    one.server.close(ignored);
  }
  return false;
}

void ForwardProxy::watch_deadlines() {
  if (is_stopped_) return;
  const TimePoint now = std::chrono::steady_clock::now();
  error_code ignored;
  for (Connection& connection : connections_) {
    if (connection.head_due <= now) connection.client.close(ignored);
    if (connection.connection_due <= now) connection.server.close(ignored);
  }
  deadline_timer_.expires_after(deadline_interval);
  deadline_timer_.async_wait([this](error_code error) {
    if (!error) watch_deadlines();
  });
}

}  // namespace linkherd::crawler
