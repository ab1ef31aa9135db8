#include "tests/support/tcp_proxy.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <list>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

constexpr int look_interval_ms = 20;

class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Returns false if the connection has ended.
bool forward(int from, int to) {
  std::array<char, 65536> bytes{};
  const ssize_t count = recv(from, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  for (ssize_t sent = 0; sent < count;) {
    const ssize_t more = send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace

class TcpProxy::Impl {
 public:
  explicit Impl(std::uint16_t target) : target_(target), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    auto* const bound = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_.number(), bound, length) != 0 || listen(listener_.number(), 64) != 0 ||
        getsockname(listener_.number(), bound, &length) != 0)
      throw std::runtime_error("the proxy has no port");
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Impl() {
    stopped_ = true;
    accepting_.join();
    for (std::thread& thread : connections_) thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return port_; }

  std::atomic<std::uint16_t> target_;
  std::atomic<int> cuts_{0};
  std::atomic<bool> silent_{false};

 private:
  void accept_all() {
    while (!stopped_) {
      pollfd waiting{listener_.number(), POLLIN, 0};
      if (silent_ || poll(&waiting, 1, look_interval_ms) <= 0) {
        if (silent_) std::this_thread::sleep_for(std::chrono::milliseconds(look_interval_ms));
        continue;
      }
      const int client = accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
      if (client >= 0) connections_.emplace_back([this, client] { serve(client); });
    }
  }

  void serve(int accepted) {
    const int cuts = cuts_;
    const Socket client(accepted);
    const Socket server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(target_);
    if (connect(server.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    while (!stopped_ && cuts == cuts_) {
      if (silent_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(look_interval_ms));
        continue;
      }
      std::array<pollfd, 2> both{{{client.number(), POLLIN, 0}, {server.number(), POLLIN, 0}}};
      if (poll(both.data(), both.size(), look_interval_ms) < 0 && errno != EINTR) return;
      if (both[0].revents != 0 && !forward(client.number(), server.number())) return;
      if (both[1].revents != 0 && !forward(server.number(), client.number())) return;
    }
  }

  const Socket listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_{false};
  std::list<std::thread> connections_;  // used only by the accepting thread until it has ended
  std::thread accepting_;
};

TcpProxy::TcpProxy(std::uint16_t target) : impl_(std::make_unique<Impl>(target)) {}

TcpProxy::~TcpProxy() = default;

std::uint16_t TcpProxy::port() const { return impl_->port(); }

void TcpProxy::set_target(std::uint16_t target) { impl_->target_ = target; }

void TcpProxy::cut() { ++impl_->cuts_; }

void TcpProxy::set_silent(bool silent) { impl_->silent_ = silent; }

}  // namespace linkherd::tests
