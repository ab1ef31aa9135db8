// Watches the sockets of C libraries (curl, c-ares) with a separate epoll set. Asio watches only the descriptor of that
// set (nested epoll).
//
// Asio would have to own each socket, but curl 7.88 closes sockets without notice. In an epoll set, the kernel drops a
// closed socket itself.
//
// For example, curl may watch socket 17 for reading. When data arrives, the epoll set itself becomes readable. Then
// Asio calls dispatch(), which calls curl's handler with socket 17.
//
// Throws std::system_error if the epoll set itself fails. Used by one thread.
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
  void on_event(Owner owner, std::function<void(const Event&)> handler);  // call before the first watch()

  // Sends events of this socket to `owner` whenever it is readable or writable, until forget(). Returns false if the
  // kernel refuses the socket.
  bool watch(int socket, Owner owner, bool read, bool write);
  void forget(int socket);  // the socket must still be open
  // Like forget(), for an idle connection that will probably be read again. The kernel keeps watching it, so that
  // pausing and resuming needs no system call. If data arrives meanwhile, the connection is shut down, because nobody
  // requested that data. The caller must call closed() before it closes the socket. Sockets that were never read may be
  // closed already: curl 7.88 also names those of connections that it has given up.
  void park(int socket);
  void closed(int socket);  // from now on the number means another socket, or none

 private:
  void wait();
  void dispatch();
  bool is_watched(int socket);
  void drop_unasked(int socket);  // handles an event of a socket that nobody watches any more

  // The assumed state of a socket in the kernel's set.
  enum class State : unsigned char { unwatched, read, other, parked };
  State& state_of(int socket);

  int epoll_;
  std::vector<State> states_;                         // by socket
  boost::asio::posix::stream_descriptor descriptor_;  // owns epoll_
  std::array<std::function<void(const Event&)>, 2> handlers_;
};

}  // namespace linkherd::crawler
