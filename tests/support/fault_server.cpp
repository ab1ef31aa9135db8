#include "tests/support/fault_server.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

using std::chrono::steady_clock;

constexpr auto second_part_after = std::chrono::milliseconds(300);
constexpr std::size_t max_request_bytes = 16'384;

int need(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

// Closes with RST; data in the buffers is discarded.
void reset(int socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

struct Request {
  Fault fault = Fault::missing;  // unknown paths, /robots.txt included, do not exist
  std::string number;
  std::string key;  // host and target; identifies the path
};

Request read_request(std::string_view text) {
  Request request;
  const std::size_t begin = text.find(' ');
  const std::size_t end = begin == std::string_view::npos ? begin : text.find(' ', begin + 1);
  if (end == std::string_view::npos) return request;
  const std::string_view target = text.substr(begin + 1, end - begin - 1);
  const std::size_t slash = target.find('/', 1);
  if (slash == std::string_view::npos) return request;
  request.fault = enum_value(fault_names, target.substr(1, slash - 1)).value_or(Fault::missing);
  request.number = target.substr(slash + 1);
  if (request.number.starts_with("linkherd-control-")) request.fault = Fault::missing;
  const std::size_t host = text.find("\r\nHost: ");
  if (host != std::string_view::npos) request.key = text.substr(host + 8, text.find("\r\n", host + 8) - host - 8);
  request.key += target;
  return request;
}

std::string answer(std::string_view status, std::string_view headers, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: text/html\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string good_answer(const std::string& number) {
  return answer("200 OK", "",
                "<!doctype html><html lang=en><title>Entry " + number + "</title><h1>Entry " + number +
                    "</h1><p>What entry " + number + " is about is said here in a few words of its own.</p></html>");
}

}  // namespace

class FaultServer::Impl {
 public:
  Impl() {
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    // 127.0.0.0/8 has no wildcard address, so clients from elsewhere are rejected after accept().
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t length = sizeof address;
    need(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), length), "bind");
    need(::listen(listener_.get(), SOMAXCONN), "listen");
    need(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
    port_ = ntohs(address.sin_port);
    watch(listener_.get(), EPOLLIN);
    watch(stop_.get(), EPOLLIN);
    thread_ = std::thread([this] { serve(); });
  }

  ~Impl() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
  }

  std::uint16_t port() const { return port_; }
  std::uint64_t requests() const { return requests_.load(); }

 private:
  struct Connection {
    explicit Connection(int number, std::uint64_t which) : socket(number), serial(which) {}
    Descriptor socket;
    std::uint64_t serial;  // the socket number may be reused before the second part is sent
    std::string received;
  };
  struct SecondPart {
    steady_clock::time_point at;
    int socket = -1;
    std::uint64_t serial = 0;
    std::string bytes;
  };
  struct Later {
    bool operator()(const SecondPart& a, const SecondPart& b) const { return a.at > b.at; }
  };

  void watch(int descriptor, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    need(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
  }

  void serve() {
    std::array<epoll_event, 256> events{};
    for (;;) {
      const int timeout = second_parts_.empty() ? -1 : 20;
      const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
      for (const epoll_event* event = events.begin(); event < events.begin() + std::max(count, 0); ++event) {
        if (event->data.fd == stop_.get()) return;
        if (event->data.fd == listener_.get()) {
          accept_all();
        } else {
          read(event->data.fd);
        }
      }
      send_second_parts();
    }
  }

  void accept_all() {
    for (;;) {
      sockaddr_in peer{};
      socklen_t length = sizeof peer;
      const int socket =
          ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) return;
      auto connection = std::make_unique<Connection>(socket, ++serials_);
      if (ntohl(peer.sin_addr.s_addr) >> 24U != 127) continue;
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections_.insert_or_assign(socket, std::move(connection));
      watch(socket, EPOLLIN);
    }
  }

  void read(int socket) {
    const auto found = connections_.find(socket);
    if (found == connections_.end()) return;
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    std::string& received = found->second->received;
    if (count > 0) received.append(bytes.data(), static_cast<std::size_t>(count));
    bool stays = count > 0 && received.size() < max_request_bytes;
    if (stays && received.ends_with("\r\n\r\n")) {
      ++requests_;
      stays = answer_request(*found->second, read_request(received));
      received.clear();
    }
    if (!stays) connections_.erase(found);
  }

  // Returns true if the connection stays open.
  bool answer_request(Connection& connection, const Request& request) {
    const int socket = connection.socket.get();
    const std::string good = good_answer(request.number);
    switch (request.fault) {
      case Fault::none: return send(socket, good);
      case Fault::missing: return send(socket, answer("404 Not Found", "", "<title>Not there</title>"));
      case Fault::broken: return send(socket, answer("503 Service Unavailable", "", "<title>Down</title>"));
      case Fault::moved:
        return send(socket, answer("301 Moved Permanently", "Location: /ok/" + request.number + "\r\n", ""));
      case Fault::silent: return true;
      case Fault::reset: reset(socket); return false;
      case Fault::flaky:
        if (!seen_.insert(request.key).second) return send(socket, good);
        reset(socket);
        return false;
      case Fault::busy:
        if (!seen_.insert(request.key).second) return send(socket, good);
        return send(socket, answer("429 Too Many Requests", "Retry-After: 1\r\n", ""));
      case Fault::cut:
      case Fault::slow: break;
    }
    const std::size_t half = good.size() - 20;
    second_parts_.push({.at = steady_clock::now() + second_part_after,
                        .socket = socket,
                        .serial = connection.serial,
                        .bytes = request.fault == Fault::slow ? good.substr(half) : std::string()});
    return send(socket, std::string_view(good).substr(0, half));
  }

  // Every response fits into the buffer of a socket.
  static bool send(int socket, std::string_view bytes) {
    return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }

  void send_second_parts() {
    for (; !second_parts_.empty() && second_parts_.top().at <= steady_clock::now(); second_parts_.pop()) {
      const SecondPart& part = second_parts_.top();
      const auto found = connections_.find(part.socket);
      if (found == connections_.end() || found->second->serial != part.serial) continue;
      if (part.bytes.empty()) reset(part.socket);
      if (part.bytes.empty() || !send(part.socket, part.bytes)) connections_.erase(found);
    }
  }

  Descriptor listener_{need(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket")};
  Descriptor epoll_{need(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
  Descriptor stop_{need(::eventfd(0, EFD_CLOEXEC), "eventfd")};
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  std::uint64_t serials_ = 0;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;
  std::unordered_set<std::string> seen_;
  std::priority_queue<SecondPart, std::vector<SecondPart>, Later> second_parts_;
  std::thread thread_;
};

FaultServer::FaultServer() : impl_(std::make_unique<Impl>()) {}
FaultServer::~FaultServer() = default;
std::uint16_t FaultServer::port() const { return impl_->port(); }
std::uint64_t FaultServer::requests() const { return impl_->requests(); }

}  // namespace linkherd::tests
