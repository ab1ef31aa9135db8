#include "tests/support/raw_server.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace linkherd::tests {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};

// Ends the pauses of scripts when the server stops.
struct Stop {
  std::mutex mutex;
  std::condition_variable wake;
  bool stopped = false;
};

class Connection : public ServerConnection {
 public:
  Connection(int socket, int number, Stop& stop) : socket_(socket), number_(number), stop_(stop) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override { end(); }

  bool start_tls(SSL_CTX* context) {
    session_.reset(SSL_new(context));
    return SSL_set_fd(session_.get(), socket_) == 1 && SSL_accept(session_.get()) == 1;
  }
  void interrupt() {  // called from another thread; ends every wait on the socket
    const std::lock_guard lock(socket_mutex_);
    if (socket_ != -1) ::shutdown(socket_, SHUT_RDWR);
  }

  std::string read_request() override {
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
      const std::string more = read_some();
      if (more.empty()) break;
      request += more;
    }
    return request;
  }
  std::string read_some() override {
    std::array<char, 16384> bytes{};
    const auto count = session_ ? SSL_read(session_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                : static_cast<int>(::recv(socket_, bytes.data(), bytes.size(), 0));
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
  }
  bool send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto count = session_ ? SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                  : static_cast<int>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void pause(std::chrono::milliseconds time) override {
    std::unique_lock lock(stop_.mutex);
    stop_.wake.wait_for(lock, time, [this] { return stop_.stopped; });
  }
  void wait_for_end() override {
    while (!read_some().empty()) continue;
  }
  void shut_down() override { ::shutdown(socket_, SHUT_WR); }
  void reset() override {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    end();
  }
  int number() const override { return number_; }
  SSL* session() override { return session_.get(); }

 private:
  void end() {
    const std::lock_guard lock(socket_mutex_);
    if (socket_ != -1) ::close(socket_);
    socket_ = -1;
  }

  std::mutex socket_mutex_;
  int socket_;
  const int number_;
  Stop& stop_;
  std::unique_ptr<SSL, FreeSession> session_;
};

void check(bool worked, const char* what) {
  if (!worked) throw std::runtime_error(std::string("the raw server cannot ") + what);
}

}  // namespace

class RawServer::Impl {
 public:
  Impl(Script script, const std::function<void(SSL_CTX*)>& set_up_tls) : script_(std::move(script)) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to clients that have disconnected
    if (set_up_tls) {
      context_.reset(SSL_CTX_new(TLS_server_method()));
      set_up_tls(context_.get());
    }
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    check(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), length) == 0 && ::listen(listener_, 512) == 0,
          "listen");
    check(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0, "tell its port");
    port_ = ntohs(address.sin_port);
    accepter_ = std::thread([this] { accept_all(); });
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    {
      const std::lock_guard lock(stop_.mutex);
      stop_.stopped = true;
      for (Player& player : players_) player.connection->interrupt();
    }
    stop_.wake.notify_all();
    ::shutdown(listener_, SHUT_RDWR);
    accepter_.join();
    for (Player& player : players_) player.thread.join();
    ::close(listener_);
  }

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }

 private:
  struct Player {
    std::unique_ptr<Connection> connection;
    std::thread thread;
  };

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const std::lock_guard lock(stop_.mutex);
      if (stop_.stopped || socket == -1) {
        if (socket != -1) ::close(socket);
        if (stop_.stopped) return;
        continue;
      }
      Player& player = players_.emplace_back();
      player.connection = std::make_unique<Connection>(socket, ++connections_, stop_);
      player.thread = std::thread([this, &connection = *player.connection] { play(connection); });
    }
  }

  void play(Connection& connection) {
    if (!context_ || connection.start_tls(context_.get())) script_(connection);
    connection.shut_down();
    connection.interrupt();
  }

  Script script_;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  Stop stop_;  // its mutex also guards players_
  std::list<Player> players_;
  std::atomic<int> connections_{0};
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread accepter_;
};

RawServer::RawServer(Script script, const std::function<void(ssl_ctx_st*)>& set_up_tls)
    : impl_(std::make_unique<Impl>(std::move(script), set_up_tls)) {}
RawServer::~RawServer() = default;

std::uint16_t RawServer::port() const { return impl_->port(); }
int RawServer::connections() const { return impl_->connections(); }

}  // namespace linkherd::tests
