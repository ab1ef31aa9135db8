#include "tests/support/dns_server.h"

#include <array>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/pause.h"

namespace linkherd::tests {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using boost::system::error_code;

// Over TCP, a two-byte length precedes every message.
std::string framed(const std::string& message) {
  return std::string{static_cast<char>(message.size() >> 8U & 0xFFU), static_cast<char>(message.size() & 0xFFU)} +
         message;
}

// Fills `bytes`. Returns false if the client disconnects first. (asio::async_read would do the same, but the analyzer
// of clang-tidy cannot follow it.)
asio::awaitable<bool> read_all(tcp::socket& socket, std::string& bytes) {
  for (std::size_t filled = 0; filled < bytes.size();) {
    error_code error;
    filled +=
        co_await socket.async_read_some(asio::buffer(bytes) + filled, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return false;
  }
  co_return true;
}

// Returns the next message, or an empty one if the client has disconnected.
asio::awaitable<std::string> read_framed(tcp::socket& socket) {
  std::string prefix(2, '\0');
  const bool is_connected = co_await read_all(socket, prefix);
  const auto byte = [&prefix](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(prefix[i]));
  };
  std::string message(byte(0) << 8U | byte(1), '\0');
  const bool complete = is_connected && co_await read_all(socket, message);
  co_return complete ? message : std::string();
}

}  // namespace

class DnsServer::Impl {
 public:
  Impl(std::function<DnsBehaviour(const DnsQuestion&)> behave, std::uint16_t port) : behave_(std::move(behave)) {
    bind(port);
    asio::co_spawn(context_, serve_udp(), asio::detached);
    asio::co_spawn(context_, accept_tcp(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return port_; }
  std::vector<ReceivedQuery> queries() const {
    const std::lock_guard lock(mutex_);
    return queries_;
  }

 private:
  // TCP and UDP need the same port number. The kernel chooses one for the first protocol; it may be taken for the
  // second.
  void bind(std::uint16_t wanted) {
    const auto loopback = asio::ip::address_v4::loopback();
    for (int tries = 0; tries < 50; ++tries) {
      tcp::acceptor acceptor(context_, tcp::endpoint(loopback, wanted));
      const std::uint16_t port = acceptor.local_endpoint().port();
      udp::socket socket(context_, udp::v4());
      error_code error;
      socket.bind(udp::endpoint(loopback, port), error);
      if (error) continue;
      acceptor_.emplace(std::move(acceptor));
      udp_.emplace(std::move(socket));
      port_ = port;
      return;
    }
    throw std::runtime_error("no port is free for UDP and TCP");
  }

  DnsBehaviour poll(const DnsQuestion& question, bool over_tcp) {
    {
      const std::lock_guard lock(mutex_);
      queries_.push_back({question.name, question.type, over_tcp});
    }
    return behave_(question);
  }

  asio::awaitable<void> serve_udp() {
    std::array<char, 4096> bytes{};
    for (;;) {
      error_code error;
      udp::endpoint client;
      const std::size_t length = co_await udp_->async_receive_from(asio::buffer(bytes), client,
                                                                   asio::redirect_error(asio::use_awaitable, error));
      if (error) continue;  // the ICMP error of a client that has disconnected
      std::optional<DnsQuestion> question = read_question(std::string_view(bytes.data(), length));
      if (question) asio::co_spawn(context_, answer_udp(std::move(*question), client), asio::detached);
    }
  }

  asio::awaitable<void> answer_udp(DnsQuestion question, udp::endpoint client) {
    const DnsBehaviour behaviour = poll(question, false);
    if (behaviour.kind == DnsKind::silence) co_return;
    co_await pause(behaviour.delay);
    const std::string answer = write_answer(question, behaviour, true);
    error_code ignored;
    co_await udp_->async_send_to(asio::buffer(answer), client, asio::redirect_error(asio::use_awaitable, ignored));
  }

  asio::awaitable<void> accept_tcp() {
    for (;;) {
      error_code error;
      tcp::socket socket = co_await acceptor_->async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        co_await pause(std::chrono::milliseconds(20));
        continue;
      }
      asio::co_spawn(context_, serve_tcp(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> serve_tcp(tcp::socket socket) {
    for (;;) {
      const std::string message = co_await read_framed(socket);
      const std::optional<DnsQuestion> question = read_question(message);
      if (!question) co_return;
      const DnsBehaviour behaviour = poll(*question, true);
      if (behaviour.kind == DnsKind::silence) continue;
      co_await pause(behaviour.delay);
      const std::string answer = framed(write_answer(*question, behaviour, false));
      error_code error;
      co_await asio::async_write(socket, asio::buffer(answer), asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
    }
  }

  std::function<DnsBehaviour(const DnsQuestion&)> behave_;
  mutable std::mutex mutex_;  // guards queries_
  std::vector<ReceivedQuery> queries_;
  std::uint16_t port_ = 0;
  asio::io_context context_{1};
  std::optional<udp::socket> udp_;
  std::optional<tcp::acceptor> acceptor_;
  std::thread thread_;
};

DnsServer::DnsServer(std::function<DnsBehaviour(const DnsQuestion& question)> behave, std::uint16_t port)
    : impl_(std::make_unique<Impl>(std::move(behave), port)) {}
DnsServer::~DnsServer() = default;

std::uint16_t DnsServer::port() const { return impl_->port(); }
std::vector<ReceivedQuery> DnsServer::queries() const { return impl_->queries(); }

}  // namespace linkherd::tests
