#include "tests/support/http_server.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "tests/support/http_response.h"
#include "tests/support/pause.h"

namespace linkherd::tests {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;
using Parser = http::request_parser<http::string_body>;

tcp::socket& socket_of(tcp::socket& stream) { return stream; }
tcp::socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

// Waits until the client disconnects, without sending anything.
asio::awaitable<void> wait_for_end(tcp::socket& socket) {
  error_code error;
  char byte = 0;
  while (!error) {
    co_await socket.async_read_some(asio::buffer(&byte, 1), asio::redirect_error(asio::use_awaitable, error));
  }
}

// Returns false if the client has disconnected.
template <class Stream>
asio::awaitable<bool> send(Stream& stream, std::string_view bytes) {
  error_code error;
  co_await asio::async_write(stream, asio::buffer(bytes.data(), bytes.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

void reset(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

template <class Stream>
asio::awaitable<bool> send_chunked(Stream& stream, const Page& page) {
  constexpr std::size_t chunk_size = 1024;
  const std::string_view body = page.body;
  bool is_connected = true;
  for (std::size_t at = 0; is_connected && at < body.size(); at += chunk_size) {
    const std::string bytes = chunk(body.substr(at, chunk_size));
    is_connected = co_await send(stream, bytes);
  }
  const std::string last = chunk({});
  if (is_connected) is_connected = co_await send(stream, last);
  co_return is_connected;
}

template <class Stream>
asio::awaitable<void> send_endlessly(Stream& stream, const Page& page) {
  const std::string bytes = chunk(page.body.empty() ? std::string_view("and so on ") : std::string_view(page.body));
  bool is_connected = true;
  while (is_connected) is_connected = co_await send(stream, bytes);
}

template <class Stream>
asio::awaitable<bool> send_slowly(Stream& stream, const Page& page, const std::string& bytes) {
  const std::string_view all = bytes;
  const std::size_t step = std::max<std::size_t>(1, page.drip_bytes);
  bool is_connected = true;
  for (std::size_t at = 0; is_connected && at < all.size(); at += step) {
    is_connected = co_await send(stream, all.substr(at, step));
    co_await pause(page.drip_interval);
  }
  co_return is_connected;
}

// Delivers the response as its page specifies. Returns true if the connection can serve another request.
template <class Stream>
asio::awaitable<bool> deliver(Stream& stream, const Page& page, bool keep_alive, bool head_only) {
  const bool bodiless = head_only || is_bodiless(page.status);
  const std::string head = response_head(page, keep_alive);
  const std::string half = head + page.body.substr(0, page.body.size() / 2);
  bool is_connected = true;
  switch (page.delivery) {
    case Delivery::whole:
    case Delivery::until_close: {
      const std::string all = bodiless ? head : head + page.body;
      is_connected = co_await send(stream, all);
      co_return is_connected&& keep_alive;
    }
    case Delivery::chunked:
      is_connected = co_await send(stream, head);
      if (is_connected && !bodiless) is_connected = co_await send_chunked(stream, page);
      co_return is_connected&& keep_alive;
    case Delivery::drip: {
      const std::string all = bodiless ? head : head + page.body;
      is_connected = co_await send_slowly(stream, page, all);
      co_return is_connected&& keep_alive;
    }
    case Delivery::endless:
      is_connected = co_await send(stream, head);
      if (is_connected && !bodiless) co_await send_endlessly(stream, page);
      co_return false;
    case Delivery::stall: is_connected = co_await send(stream, half); [[fallthrough]];
    case Delivery::silence:
      if (is_connected) co_await wait_for_end(socket_of(stream));
      co_return false;
    case Delivery::cut: co_await send(stream, half); co_return false;
    case Delivery::reset: co_await send(stream, half); [[fallthrough]];
    case Delivery::reset_early: reset(socket_of(stream)); co_return false;
    case Delivery::raw: co_await send(stream, page.body); co_return false;
    case Delivery::close: co_return false;
  }
  co_return false;
}

bool ends_properly(Delivery delivery) { return delivery != Delivery::cut && delivery != Delivery::close; }

std::string host_of(std::string_view host_header) {
  std::string host(host_header.substr(0, host_header.rfind(':')));
  std::ranges::transform(host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return host;
}

ReceivedRequest seen_request(const Parser::value_type& message, tcp::socket& socket, bool tls,
                             std::uint64_t connection) {
  ReceivedRequest seen;
  seen.host = host_of(message[http::field::host]);
  seen.method = std::string(message.method_string());
  seen.target = std::string(message.target());
  for (const auto& field : message)
    seen.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  seen.tls = tls;
  seen.connection = connection;
  error_code ignored;
  seen.server_address = socket.local_endpoint(ignored).address().to_string();
  seen.time = std::chrono::steady_clock::now();
  seen.body = message.body();
  return seen;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(TestAuthority& authority, Responder respond) : respond_(std::move(respond)) {
    authority.install(tls_.native_handle());
    http_port_ = listen("127.0.0.1", 0, false);
    https_port_ = listen("127.0.0.1", 0, true);
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Returns the port. If `port` is 0, the kernel chooses one.
  std::uint16_t listen(const std::string& address, std::uint16_t port, bool tls) {
    tcp::acceptor acceptor(context_, tcp::endpoint(asio::ip::make_address(address), port));
    const std::uint16_t chosen = acceptor.local_endpoint().port();
    asio::co_spawn(context_, accept(std::move(acceptor), tls), asio::detached);
    return chosen;
  }

  std::uint16_t http_port() const { return http_port_; }
  std::uint16_t https_port() const { return https_port_; }

  std::vector<ReceivedRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  void clear_requests() {
    const std::lock_guard lock(mutex_);
    requests_.clear();
    max_.clear();
  }
  std::size_t max_concurrent(const std::string& host) const {
    const std::lock_guard lock(mutex_);
    const auto found = max_.find(host);
    return found == max_.end() ? 0 : found->second;
  }

 private:
  // Counts a request as in progress while it exists.
  class Answering {
   public:
    Answering(Impl& server, const ReceivedRequest& request) : server_(server), host_(request.host) {
      const std::lock_guard lock(server_.mutex_);
      server_.requests_.push_back(request);
      for (const std::string& key : {host_, std::string()}) {
        const std::size_t now = ++server_.answering_[key];
        server_.max_[key] = std::max(server_.max_[key], now);
      }
    }
    ~Answering() {
      const std::lock_guard lock(server_.mutex_);
      --server_.answering_[host_];
      --server_.answering_[std::string()];
    }
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;

   private:
    Impl& server_;
    std::string host_;
  };

  asio::awaitable<void> accept(tcp::acceptor acceptor, bool tls) {
    for (;;) {
      error_code error;
      tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error) {  // for example no file descriptors left; they become free when clients disconnect
        co_await pause(std::chrono::milliseconds(20));
        continue;
      }
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      if (tls) {
        asio::co_spawn(context_, serve_tls(std::move(socket), ++connections_), asio::detached);
      } else {
        asio::co_spawn(context_, serve_plain(std::move(socket), ++connections_), asio::detached);
      }
    }
  }

  asio::awaitable<void> serve_plain(tcp::socket socket, std::uint64_t connection) {
    co_await converse(socket, false, connection);
  }

  asio::awaitable<void> serve_tls(tcp::socket socket, std::uint64_t connection) {
    TlsStream stream(std::move(socket), tls_);
    error_code error;
    co_await stream.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    const bool properly = co_await converse(stream, true, connection);
    if (properly) co_await stream.async_shutdown(asio::redirect_error(asio::use_awaitable, error));
  }

  // Answers requests until one side ends the connection. Returns false if it must be closed without a shutdown.
  template <class Stream>
  asio::awaitable<bool> converse(Stream& stream, bool tls, std::uint64_t connection) {
    boost::beast::flat_buffer buffer;
    for (;;) {
      Parser parser;
      error_code error;
      co_await http::async_read(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return true;
      const ReceivedRequest request = seen_request(parser.get(), socket_of(stream), tls, connection);
      const Answering answering(*this, request);
      const Page page = answer(request);
      co_await pause(page.delay);
      const bool keep_alive = parser.get().keep_alive() && page.delivery != Delivery::until_close &&
                              header_value(page.headers, "Connection") != "close";
      const bool more = co_await deliver(stream, page, keep_alive, request.method == "HEAD");
      if (!more) co_return ends_properly(page.delivery);
    }
  }

  Page answer(const ReceivedRequest& request) {
    try {
      return respond_(request);
    } catch (const std::exception& e) {
      Page page = html_page(std::string("the script failed: ") + e.what());
      page.status = 500;
      return page;
    }
  }

  Responder respond_;
  asio::ssl::context tls_{asio::ssl::context::tls_server};
  mutable std::mutex mutex_;  // guards the log below
  std::vector<ReceivedRequest> requests_;
  std::map<std::string, std::size_t> answering_, max_;  // by host; the total has the key ""
  std::uint64_t connections_ = 0;
  std::uint16_t http_port_ = 0, https_port_ = 0;
  asio::io_context context_{1};  // destroyed before the members that its coroutines use
  std::thread thread_;
};

HttpServer::HttpServer(TestAuthority& authority, Responder respond)
    : impl_(std::make_unique<Impl>(authority, std::move(respond))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::http_port() const { return impl_->http_port(); }
std::uint16_t HttpServer::https_port() const { return impl_->https_port(); }

void HttpServer::listen_on(const std::string& address) {
  impl_->listen(address, http_port(), false);
  impl_->listen(address, https_port(), true);
}

std::vector<ReceivedRequest> HttpServer::requests() const { return impl_->requests(); }
void HttpServer::clear_requests() { impl_->clear_requests(); }
std::size_t HttpServer::max_concurrent(const std::string& host) const { return impl_->max_concurrent(host); }

}  // namespace linkherd::tests
