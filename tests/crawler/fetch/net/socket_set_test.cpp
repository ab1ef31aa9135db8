// Tests which socket events of C libraries arrive, above all when a connection is parked and watched again, or when its
// descriptor is reused.
#include "crawler/fetch/net/socket_set.h"

#include <array>
#include <cstddef>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using linkherd::crawler::SocketSet;

namespace {

// A pair of connected sockets: the watched end and the other end.
class Pair {
 public:
  Pair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) == 0); }
  ~Pair() {
    close_ours();
    close(ends_[1]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int ours() const { return ends_[0]; }
  void say_something() const { REQUIRE(write(ends_[1], "x", 1) == 1); }
  bool is_shut_down() const {
    pollfd ours{.fd = ends_[0], .events = 0, .revents = 0};
    return poll(&ours, 1, 0) == 1 && (ours.revents & POLLHUP) != 0;
  }
  void close_ours() {
    if (ends_[0] != -1) close(ends_[0]);
    ends_[0] = -1;
  }
  void move_ours_to(int number) {  // as the kernel reuses descriptors
    REQUIRE(dup2(ends_[0], number) == number);
    close(ends_[0]);
    ends_[0] = number;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

struct Watcher {
  boost::asio::io_context io;
  SocketSet sockets{io};
  std::vector<SocketSet::Event> events;

  Watcher() {
    sockets.on_event(SocketSet::Owner::curl, [this](const SocketSet::Event& event) { events.push_back(event); });
  }
  // Returns the number of current events. Their data is not read, so that a level-triggered event would be reported
  // again.
  std::size_t look() {
    events.clear();
    io.restart();
    io.poll_one();
    return events.size();
  }
  bool watch_for_reading(const Pair& pair) { return sockets.watch(pair.ours(), SocketSet::Owner::curl, true, false); }
};

}  // namespace

TEST_CASE("a parked socket reports nothing until it is watched again and loses no event") {
  Watcher watcher;
  const Pair pair;
  REQUIRE(watcher.watch_for_reading(pair));
  watcher.sockets.park(pair.ours());
  CHECK(watcher.look() == 0);
  REQUIRE(watcher.watch_for_reading(pair));
  CHECK(watcher.look() == 0);
  pair.say_something();
  REQUIRE(watcher.look() == 1);
  CHECK(watcher.events.front().socket == pair.ours());
  CHECK(watcher.events.front().readable);

  watcher.sockets.park(pair.ours());
  CHECK(watcher.look() == 0);  // data remains to be read, but the kernel was told to ignore it
  CHECK(watcher.look() == 0);
  REQUIRE(watcher.watch_for_reading(pair));
  CHECK(watcher.look() == 1);
}

TEST_CASE("a parked socket that receives data is shut down") {
  Watcher watcher;
  const Pair pair;
  REQUIRE(watcher.watch_for_reading(pair));
  watcher.sockets.park(pair.ours());
  CHECK(watcher.look() == 0);
  CHECK_FALSE(pair.is_shut_down());
  pair.say_something();
  CHECK(watcher.look() == 0);
  CHECK(pair.is_shut_down());
}

TEST_CASE("a socket watched for writing can be parked and watched again for anything") {
  Watcher watcher;
  const Pair pair;
  REQUIRE(watcher.sockets.watch(pair.ours(), SocketSet::Owner::curl, true, true));
  CHECK(watcher.look() == 1);  // writable
  watcher.sockets.park(pair.ours());
  CHECK(watcher.look() == 0);
  REQUIRE(watcher.watch_for_reading(pair));
  CHECK(watcher.look() == 0);
  watcher.sockets.park(pair.ours());
  REQUIRE(watcher.sockets.watch(pair.ours(), SocketSet::Owner::curl, false, true));
  REQUIRE(watcher.look() == 1);
  CHECK(watcher.events.front().writable);
  watcher.sockets.forget(pair.ours());
  CHECK(watcher.look() == 0);
}

TEST_CASE("a reused descriptor stands for the new socket") {
  Watcher watcher;
  Pair first;
  Pair second;
  const int number = first.ours();
  REQUIRE(watcher.watch_for_reading(first));
  watcher.sockets.park(number);
  watcher.sockets.closed(number);
  first.close_ours();
  second.move_ours_to(number);
  REQUIRE(watcher.watch_for_reading(second));
  second.say_something();
  CHECK(watcher.look() == 1);
}

TEST_CASE("a watched socket closed without notice does not hide the next one of its number") {
  Watcher watcher;
  Pair first;
  Pair second;
  const int number = first.ours();
  REQUIRE(watcher.watch_for_reading(first));
  first.close_ours();
  second.move_ours_to(number);
  REQUIRE(watcher.watch_for_reading(second));
  second.say_something();
  CHECK(watcher.look() == 1);
}
