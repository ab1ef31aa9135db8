// The sockets of C libraries (curl, c-ares) in an epoll set of their own, of which Asio watches only the one
// descriptor. So nobody here owns their sockets: the kernel itself forgets those that are closed unannounced, as
// curl 7.88 does.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace linkherd::crawler {

class SocketSet {
 public:
  struct Event {
    int socket = -1;
    bool readable = false;
    bool writable = false;
    bool broken = false;
  };
  enum class Owner : unsigned { curl, dns };

  explicit SocketSet(boost::asio::io_context& io);
  void on_event(Owner owner, std::function<void(const Event&)> handler);  // before the first watch

  // From now on events of this socket go to `owner`, as long as it is readable or writable, until forget(). False: the
  // kernel will not have it.
  bool watch(int socket, Owner owner, bool read, bool write);
  void forget(int socket);  // it must still be open
  // The same for a connection that will probably be read from again: the kernel goes on watching it, so that coming and
  // going costs no call of the kernel. Where something comes meanwhile, the connection is shut down: nobody asked for
  // it. Whoever parks says closed() before it closes. Also for a socket that was never read from, which may be closed
  // already: curl 7.88 names those of connections that it gave up.
  void park(int socket);
  void closed(int socket);  // from now on the number means another socket, or none

 private:
  void wait();
  void dispatch();
  bool is_watched(int socket);
  void drop_unasked(int socket);  // the kernel told of a socket: unless it is watched, that ends here

  // What the kernel does about a socket, as far as we know.
  enum class State : unsigned char { unwatched, read, other, parked };
  State& state_of(int socket);

  int epoll_;
  std::vector<State> states_;                         // by socket
  boost::asio::posix::stream_descriptor descriptor_;  // owns epoll_
  std::array<std::function<void(const Event&)>, 2> handlers_;
};

}  // namespace linkherd::crawler
