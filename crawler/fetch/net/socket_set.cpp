#include "crawler/fetch/net/socket_set.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace linkherd::crawler {

namespace {

int make_epoll() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll == -1) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return epoll;
}

std::uint64_t tag(int socket, SocketSet::Owner owner) {
  return std::uint64_t{static_cast<unsigned>(owner)} << 32 | static_cast<unsigned>(socket);
}

int socket_of(const epoll_event& event) { return static_cast<int>(event.data.u64 & 0xffffffffU); }

// The server has closed an idle connection or sent unrequested data, which the next request would take for its
// response. In both cases, curl 7.88 would reuse the connection, unless neither end can send any more.
void hang_up(int socket) { shutdown(socket, SHUT_RDWR); }

}  // namespace

SocketSet::SocketSet(boost::asio::io_context& io) : epoll_(make_epoll()), descriptor_(io, epoll_) { wait(); }

void SocketSet::on_event(Owner owner, std::function<void(const Event&)> handler) {
  handlers_[static_cast<unsigned>(owner)] = std::move(handler);
}

SocketSet::State& SocketSet::state_of(int socket) {
  const auto number = static_cast<std::size_t>(socket);
  if (number >= states_.size()) states_.resize(number + 1);
  return states_[number];
}

bool SocketSet::watch(int socket, Owner owner, bool read, bool write) {
  State& state = state_of(socket);
  const State before = std::exchange(state, read && !write ? State::read : State::other);
  if (before == State::parked && state == State::read && owner == Owner::curl) return true;
  epoll_event event{};
  event.events = (read ? std::uint32_t{EPOLLIN} : 0U) | (write ? std::uint32_t{EPOLLOUT} : 0U);
  event.data.u64 = tag(socket, owner);
  const bool known = before != State::unwatched;
  // A socket number may have been closed and reused without notice, so the recorded state is only a guess.
  if (epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) == 0) return true;
  const bool guessed_wrong = errno == (known ? ENOENT : EEXIST);
  if (guessed_wrong && epoll_ctl(epoll_, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0) return true;
  return errno == EBADF;  // already closed; the owner will notice
}

void SocketSet::forget(int socket) {
  state_of(socket) = State::unwatched;
  epoll_event unused{};
  epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, &unused);
}

// No system call here, because the number may already belong to another thread's socket.
void SocketSet::park(int socket) {
  State& state = state_of(socket);
  state = state == State::read ? State::parked : State::unwatched;
}

void SocketSet::closed(int socket) { state_of(socket) = State::unwatched; }

void SocketSet::wait() {
  descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code error) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) throw std::system_error(error, "waiting for sockets");
    dispatch();
    wait();
  });
}

void SocketSet::dispatch() {
  std::array<epoll_event, 256> events{};
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
  if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "epoll_wait");
  const std::span batch = std::span(events).first(static_cast<std::size_t>(std::max(count, 0)));
  // This runs first, because the handlers close sockets, whose numbers may then be reused by other threads.
  for (const epoll_event& event : batch) drop_unasked(socket_of(event));
  for (const epoll_event& event : batch) {
    const int socket = socket_of(event);
    if (!is_watched(socket)) continue;
    // The socket may have another owner since this batch was fetched. Both libraries ignore events of unknown sockets.
    handlers_[event.data.u64 >> 32]({.socket = socket,
                                     .readable = (event.events & EPOLLIN) != 0,
                                     .writable = (event.events & EPOLLOUT) != 0,
                                     .broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0});
  }
}

bool SocketSet::is_watched(int socket) {
  const State state = state_of(socket);
  return state == State::read || state == State::other;
}

void SocketSet::drop_unasked(int socket) {
  if (is_watched(socket)) return;
  const bool at_rest = state_of(socket) == State::parked;
  forget(socket);
  if (at_rest) hang_up(socket);
}

}  // namespace linkherd::crawler
