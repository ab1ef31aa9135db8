#include "crawler/fetch/net/curl_loop.h"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unistd.h>

#include "crawler/fetch/net/tls_records.h"
#include "crawler/fetch/net/transfer.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

using SteadyClock = std::chrono::steady_clock;

void check(CURLMcode code) {
  if (code != CURLM_OK) throw std::runtime_error(std::string("curl: ") + curl_multi_strerror(code));
}

}  // namespace

CurlList make_curl_list(const std::vector<std::string>& lines) {
  CurlList list;
  for (const std::string& line : lines) {
    curl_slist* const head = curl_slist_append(list.get(), line.c_str());
    if (head == nullptr) throw std::bad_alloc();
    if (!list) list.reset(head);
  }
  return list;
}

CurlLoop::CurlLoop(asio::io_context& io, SocketSet& sockets, long max_connections)
    : io_(io), sockets_(sockets), timer_(io), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, max_connections));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING}));
  sockets_.on_event(SocketSet::Owner::curl, [this](const SocketSet::Event& event) {
    act(event.socket, (event.readable ? CURL_CSELECT_IN : 0) | (event.writable ? CURL_CSELECT_OUT : 0) |
                          (event.broken ? CURL_CSELECT_ERR : 0));
  });
}

CurlLoop::~CurlLoop() {
  for (const auto& [easy, handler] : running_) curl_multi_remove_handle(multi_.get(), easy);
}

CurlHandle CurlLoop::make_handle() {
  CurlHandle handle(curl_easy_init());
  if (!handle) throw std::bad_alloc();
  curl_easy_setopt(handle.get(), CURLOPT_CLOSESOCKETFUNCTION, &CurlLoop::on_close);
  curl_easy_setopt(handle.get(), CURLOPT_CLOSESOCKETDATA, this);
  return handle;
}

asio::awaitable<CURLcode> CurlLoop::run(CURL* easy) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(CURLcode)>(
      [this](auto handler, CURL* handle) { start(handle, Handler(std::move(handler))); }, asio::use_awaitable, easy);
}

void CurlLoop::start(CURL* easy, Handler handler) {
  if (is_cancelled_) {
    complete(std::move(handler), CURLE_ABORTED_BY_CALLBACK);
    return;
  }
  running_.emplace(easy, std::move(handler));
  const CURLMcode added = curl_multi_add_handle(multi_.get(), easy);
  if (added == CURLM_OK && !failure_.is_set()) return;
  // The event loop throws it, not the coroutine that has just been suspended. The transfer ends with all others.
  asio::post(io_, [this, added] {
    failure_.rethrow();
    check(added);
  });
}

void CurlLoop::cancel_all() {
  is_cancelled_ = true;
  while (!running_.empty()) {
    auto ended = running_.extract(running_.begin());
    curl_multi_remove_handle(multi_.get(), ended.key());
    complete(std::move(ended.mapped()), CURLE_ABORTED_BY_CALLBACK);
  }
}

int CurlLoop::on_socket(CURL* easy, curl_socket_t socket, int events, void* self, void* /*socket_data*/) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  return loop.failure_.guard(-1, [&loop, easy, socket, events] {
    if (events != CURL_POLL_REMOVE) note_socket(easy, socket, events);
    loop.watch(socket, events);
    return 0;
  });
}

void CurlLoop::watch(curl_socket_t socket, int events) {
  // Most return to the connection pool and are used again.
  if (events == CURL_POLL_REMOVE) return sockets_.park(socket);
  const bool watched = sockets_.watch(socket, SocketSet::Owner::curl, events != CURL_POLL_OUT, events != CURL_POLL_IN);
  if (!watched) throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

// The connection's last transfer and its handle may no longer exist.
int CurlLoop::on_close(void* self, curl_socket_t socket) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  loop.failure_.guard(0, [&loop, socket] {
    loop.sockets_.closed(socket);
    return 0;
  });
  return close(socket);
}

// curl must not be called from here, whatever the timeout. curl changes the timeout several times per transfer. A timer
// that ends early enough is kept, because each change would be a system call.
int CurlLoop::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  return loop.failure_.guard(-1, [&loop, milliseconds] {
    loop.set_timer(milliseconds);
    return 0;
  });
}

void CurlLoop::set_timer(long milliseconds) {
  due_.reset();
  if (milliseconds == 0) {
    act_soon();
  } else if (milliseconds > 0) {
    due_ = SteadyClock::now() + std::chrono::milliseconds(milliseconds);
    if (!timer_at_ || *timer_at_ > *due_) arm_timer(*due_);
  }
}

void CurlLoop::act_soon() {
  if (acting_soon_) return;
  acting_soon_ = true;
  asio::post(io_, [this] {
    acting_soon_ = false;
    act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlLoop::arm_timer(SteadyClock::time_point at) {
  timer_at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) on_timer_end();
  });
}

void CurlLoop::on_timer_end() {
  timer_at_.reset();
  if (!due_) return;
  if (*due_ > SteadyClock::now()) return arm_timer(*due_);
  due_.reset();
  act(CURL_SOCKET_TIMEOUT, 0);
}

void CurlLoop::act(curl_socket_t socket, int events) {
  int still_running = 0;
  begin_tls_turn();
  const CURLMcode code = curl_multi_socket_action(multi_.get(), socket, events, &still_running);
  failure_.rethrow();
  check(code);
  collect_finished();
}

void CurlLoop::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message becomes invalid when the handle is removed
    curl_multi_remove_handle(multi_.get(), easy);
    auto ended = running_.extract(easy);
    if (!ended.empty()) complete(std::move(ended.mapped()), code);
  }
}

// Posted, not called: the handler starts further transfers, which must not happen in the middle of a batch.
void CurlLoop::complete(Handler handler, CURLcode code) {
  asio::post(io_, [handler = std::move(handler), code]() mutable { std::move(handler)(code); });
}

}  // namespace linkherd::crawler
