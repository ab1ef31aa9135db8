#include "crawler/fetch/curl_loop.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unistd.h>

#include "crawler/fetch/record_flood.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

using SteadyClock = std::chrono::steady_clock;

void check(CURLMcode code) {
  if (code != CURLM_OK) throw std::runtime_error(std::string("curl: ") + curl_multi_strerror(code));
}

}  // namespace

CurlLoop::CurlLoop(asio::io_context& io, SocketSet& sockets, long most_idle_connections)
    : io_(io), sockets_(sockets), timer_(io), multi_(curl_multi_init()) {
  if (!multi_) throw std::bad_alloc();
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, most_idle_connections));
  check(curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING}));
  sockets_.on_event(SocketSet::Owner::curl, [this](const SocketSet::Event& event) {
    act(event.socket, (event.readable ? CURL_CSELECT_IN : 0) | (event.writable ? CURL_CSELECT_OUT : 0) |
                          (event.broken ? CURL_CSELECT_ERR : 0));
  });
}

CurlLoop::~CurlLoop() {
  for (const auto& [easy, handler] : running_) curl_multi_remove_handle(multi_.get(), easy);
}

EasyHandle CurlLoop::take_handle() {
  if (spare_.empty()) {
    EasyHandle fresh(curl_easy_init());
    if (!fresh) throw std::bad_alloc();
    curl_easy_setopt(fresh.get(), CURLOPT_CLOSESOCKETFUNCTION, &CurlLoop::on_close);
    curl_easy_setopt(fresh.get(), CURLOPT_CLOSESOCKETDATA, this);
    return fresh;
  }
  EasyHandle handle = std::move(spare_.back());
  spare_.pop_back();
  return handle;
}

void CurlLoop::give_back(EasyHandle handle) {
  constexpr std::size_t most_spare = 256;
  if (spare_.size() >= most_spare) return;
  spare_.push_back(std::move(handle));
}

asio::awaitable<CURLcode> CurlLoop::run(CURL* easy) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(CURLcode)>(
      [this](auto handler, CURL* handle) { start(handle, Handler(std::move(handler))); }, asio::use_awaitable, easy);
}

void CurlLoop::start(CURL* easy, Handler handler) {
  if (cancelled_) {
    complete(std::move(handler), CURLE_ABORTED_BY_CALLBACK);
    return;
  }
  check(curl_multi_add_handle(multi_.get(), easy));
  running_.emplace(easy, std::move(handler));
}

void CurlLoop::cancel_all() {
  cancelled_ = true;
  while (!running_.empty()) {
    auto ended = running_.extract(running_.begin());
    curl_multi_remove_handle(multi_.get(), ended.key());
    complete(std::move(ended.mapped()), CURLE_ABORTED_BY_CALLBACK);
  }
}

int CurlLoop::on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*socket_data*/) {
  SocketSet& sockets = static_cast<CurlLoop*>(self)->sockets_;
  if (what == CURL_POLL_REMOVE) {
    sockets.park(socket);  // most go to the pool of connections and come back
  } else {
    const bool watched = sockets.watch(socket, SocketSet::Owner::curl, what != CURL_POLL_OUT, what != CURL_POLL_IN);
    if (!watched) return -1;  // no exception may cross curl; act() throws when curl passes this on
  }
  return 0;
}

// The connection's last transfer, and its handle, may be long gone.
int CurlLoop::on_close(void* self, curl_socket_t socket) {
  static_cast<CurlLoop*>(self)->sockets_.closed(socket);
  return close(socket);
}

// curl must not be called from in here, whatever the wait. It names another one several times a transfer, so a timer
// that runs is left alone where it ends early enough: each change would be a system call.
int CurlLoop::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  CurlLoop& loop = *static_cast<CurlLoop*>(self);
  loop.due_.reset();
  if (milliseconds == 0) {
    loop.act_soon();
  } else if (milliseconds > 0) {
    loop.due_ = SteadyClock::now() + std::chrono::milliseconds(milliseconds);
    if (!loop.timer_at_ || *loop.timer_at_ > *loop.due_) loop.arm_timer(*loop.due_);
  }
  return 0;
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
  start_record_turn();
  check(curl_multi_socket_action(multi_.get(), socket, events, &still_running));
  collect_finished();
}

void CurlLoop::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message dies with the handle's removal
    curl_multi_remove_handle(multi_.get(), easy);
    auto ended = running_.extract(easy);
    if (!ended.empty()) complete(std::move(ended.mapped()), code);
  }
}

// Posted, not called: what follows a transfer starts the next ones, and must not do so from the middle of a batch.
void CurlLoop::complete(Handler handler, CURLcode code) {
  asio::post(io_, [handler = std::move(handler), code]() mutable { std::move(handler)(code); });
}

}  // namespace linkherd::crawler
