#include "crawler/fetch/fetch_pool.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ares.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/hop_state_machine.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/ca_file.h"
#include "crawler/fetch/net/curl_loop.h"
#include "crawler/fetch/net/resolver.h"
#include "crawler/fetch/net/slots.h"
#include "crawler/fetch/net/socket_set.h"
#include "crawler/fetch/pool_shared.h"
#include "crawler/frontier/frontier.h"
#include "parser/url/host.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

// Buffers the results of one fetch thread while the result queue is full, so that the thread itself never waits.
class Outbox {
 public:
  Outbox(boost::asio::io_context& io, BoundedQueue<FetchResult>& queue) : timer_(io), queue_(queue) {}

  void put(FetchResult result);
  bool is_full() const { return full_; }  // the queue had no room for all results

 private:
  void deliver();

  boost::asio::steady_timer timer_;
  BoundedQueue<FetchResult>& queue_;
  std::deque<FetchResult> waiting_;
  bool delivering_ = false;  // a delivery is scheduled
  bool full_ = false;
};

// One thread of the pool: its event loop, its frontier, and the admission of hops, that is, which hop starts when.
// HopStateMachine runs the hops.
class FetchThread {
 public:
  explicit FetchThread(PoolShared& shared);
  ~FetchThread();  // call after join()
  FetchThread(const FetchThread&) = delete;
  FetchThread& operator=(const FetchThread&) = delete;

  void start();  // call after all threads of the pool have been constructed
  // The following functions may be called from any thread. Their effects occur in the order of the calls.
  void restore(storage::HostState host);
  void submit(std::unique_ptr<FetchState> fetch);
  void submit(std::vector<FetchRequest> requests);
  void stop(FailureKind why);
  void quit();  // cancels everything and ends the thread, even if results are missing
  void join();
  PoolStatus status() const;
  std::vector<storage::HostState> host_states();  // waits for the thread; rethrows its failure

 private:
  void work();
  void accept(std::unique_ptr<FetchState> fetch);
  void hand_over(std::unique_ptr<FetchState> fetch);
  void admit_soon();
  void admit_at(Timestamp time);
  void admit();
  bool has_room_for_first_contacts(Timestamp now) const;
  void begin(std::unique_ptr<FetchState> fetch);
  void begin_stop(FailureKind why);
  void end_soon();
  void end_some();
  void begin_quit();
  void end_if_quit();
  void watch_for_sleep();
  void publish_status();

  PoolShared& shared_;
  boost::asio::io_context io_{1};
  SocketSet sockets_{io_};
  CurlLoop curl_;
  Resolver resolver_;
  AwakeTime awake_;
  Frontier frontier_;
  Outbox outbox_;
  Slots::Claim slots_;
  StallWatch stalls_;
  HopStateMachine hop_machine_;
  boost::asio::steady_timer admission_timer_, ending_timer_, grace_timer_, status_timer_, awake_timer_;
  bool admission_posted_ = false;
  bool ending_ = false;  // end_some() is scheduled
  bool quitting_ = false;
  int hops_ = 0;

  mutable std::mutex status_mutex_;
  PoolStatus status_;
  std::thread thread_;
};

namespace {

void initialise_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("libcurl cannot be initialized");
    if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS) throw std::runtime_error("c-ares cannot be initialized");
    spdlog::default_logger_raw();  // creates the logger here, not in whichever thread logs first
  });
}

constexpr std::size_t slowest_shown = 5;

int count_threads(const FetchOptions& options) {
  constexpr int max_default_threads = 8;
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, max_default_threads);
  return std::clamp(options.threads > 0 ? options.threads : cores, 1, std::max(1, options.max_concurrency));
}

// Returns the configured number, reduced to what the limit on file descriptors allows.
int count_stalled(const FetchOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1'000'000) return options.max_stalled;
  const int for_sockets = static_cast<int>(limit.rlim_cur / 4 * 3);
  return std::clamp(for_sockets - options.max_concurrency, 0, std::max(0, options.max_stalled));
}

// Replaces the empty values that stand for a default. The first probe of a host waits as long as the first retry.
FetchOptions with_defaults(FetchOptions options) {
  if (options.user_agent.empty()) options.user_agent = default_user_agent();
  options.ca_file = choose_ca_file(options.ca_file);
  if (options.client_key.empty()) options.client_key = options.client_cert;
  options.politeness.breaker.first_wait = options.retry.first_wait;
  return options;
}

std::vector<ConnectRule> read_connect_rules(const std::vector<std::string>& texts) {
  Result<std::vector<ConnectRule>> rules = parse_connect_rules(texts);
  if (!rules) throw std::runtime_error("--connect-to: " + rules.error().message);
  return std::move(*rules);
}

constexpr int max_admissions_per_turn = 64;  // after that, sockets and timers get their turn
constexpr Duration poll_interval = std::chrono::milliseconds(10);
constexpr auto status_interval = std::chrono::milliseconds(250);
constexpr std::size_t backlogs_shown = 5;

int lookup_threads(const PoolShared& shared) {
  constexpr int max_lookups = 8;  // over all threads
  return std::max(1, max_lookups / shared.thread_count);
}

}  // namespace

PoolShared::PoolShared(const FetchOptions& o, const Clock& c, ByteBudget& b, BoundedQueue<FetchResult>& r, OnAttempt a,
                       HandOver p)
    : options(with_defaults(o)),
      thread_count(count_threads(o)),
      connect_rules(read_connect_rules(o.connect_to)),
      extra_headers(o.headers),
      clock(c),
      bodies(b),
      results(r),
      on_attempt(std::move(a)),
      hand_over(std::move(p)),
      slots(std::max(1, o.max_concurrency), count_stalled(o), thread_count),
      addresses(std::max(o.address_concurrency, o.politeness.host_concurrency),
                {.failures_to_open = 5, .first_wait = o.retry.first_wait, .max_unanswered = 0}) {}

FetchThread& PoolShared::owner_of(const parser::Url& url) const {
  return *owners[std::hash<std::string>()(parser::registrable_domain(url)) % owners.size()];
}

std::size_t PoolShared::connections_of_thread() const {
  return static_cast<std::size_t>(std::max(64, 2 * options.max_concurrency / thread_count));
}

FetchPool::FetchPool(const FetchOptions& options, const Clock& clock, ByteBudget& bodies,
                     BoundedQueue<FetchResult>& results, OnAttempt on_attempt, HandOver hand_over) {
  initialise_libraries();
  shared_ = std::make_unique<PoolShared>(options, clock, bodies, results, std::move(on_attempt), std::move(hand_over));
  for (int i = 0; i < shared_->thread_count; ++i) threads_.push_back(std::make_unique<FetchThread>(*shared_));
  for (const auto& thread : threads_) shared_->owners.push_back(thread.get());
  try {
    for (const auto& thread : threads_) thread->start();
  } catch (...) {  // no further thread starts; the running ones must end before their handles are destroyed
    end();
    throw;
  }
}

FetchPool::~FetchPool() { end(); }

void FetchPool::end() {
  for (const auto& thread : threads_) thread->quit();
  // Joins all before destroying the first, because they post to each other.
  for (const auto& thread : threads_) thread->join();
}

void FetchPool::restore(const std::vector<storage::HostState>& hosts) {
  for (storage::HostState host : hosts) {
    const Result<parser::Url> url = parser::Url::parse(host.origin);
    if (url) shared_->owner_of(*url).restore(std::move(host));
  }
}

void FetchPool::submit(FetchRequest request, std::optional<Timestamp> not_before) {
  auto fetch = std::make_unique<FetchState>(std::move(request));
  fetch->not_before = not_before;
  submit(std::move(fetch));
}

void FetchPool::submit(std::unique_ptr<FetchState> fetch) {
  FetchThread& owner = shared_->owner_of(fetch->hop_url);
  owner.submit(std::move(fetch));
}

void FetchPool::submit(std::vector<FetchRequest> requests) {
  std::unordered_map<FetchThread*, std::vector<FetchRequest>> by_owner;
  std::unordered_map<std::string, FetchThread*> owners;  // by origin, so that the registrable domain is looked up once
  for (FetchRequest& request : requests) {
    FetchThread*& owner = owners[parser::parse_origin(request.href())];
    if (owner == nullptr) owner = &shared_->owner_of(parser::Url::parse(request.href()).value());
    by_owner[owner].push_back(std::move(request));
  }
  for (auto& [owner, part] : by_owner) owner->submit(std::move(part));
}

void FetchPool::stop(FailureKind why) {
  for (const auto& thread : threads_) thread->stop(why);
}

void FetchPool::rethrow_failure() const { shared_->failure.rethrow(); }

PoolStatus FetchPool::status() const {
  PoolStatus sum;
  for (const auto& thread : threads_) {
    PoolStatus part = thread->status();
    sum.pending += part.pending;
    sum.in_flight += part.in_flight;
    std::ranges::move(part.biggest_backlogs, std::back_inserter(sum.biggest_backlogs));
  }
  std::ranges::sort(sum.biggest_backlogs, std::greater<>(), &HostBacklog::pending);
  if (sum.biggest_backlogs.size() > slowest_shown) sum.biggest_backlogs.resize(slowest_shown);
  return sum;
}

std::vector<storage::HostState> FetchPool::host_states() const {
  std::vector<storage::HostState> all;
  for (const auto& thread : threads_) std::ranges::move(thread->host_states(), std::back_inserter(all));
  return all;
}

FetchThread::FetchThread(PoolShared& shared)
    : shared_(shared),
      curl_(io_, sockets_, static_cast<long>(shared.connections_of_thread())),
      resolver_(io_, sockets_, shared.clock, shared.options, lookup_threads(shared)),
      frontier_(shared.options.politeness),
      outbox_(io_, shared.results),
      slots_(shared.slots),
      stalls_(io_, slots_, [this] { admit_soon(); }),
      hop_machine_(io_, shared, curl_, resolver_, awake_, frontier_, stalls_,
                   {.next = [this](std::unique_ptr<FetchState> fetch) { hand_over(std::move(fetch)); },
                    .on_finished = [this](FetchResult result) { outbox_.put(std::move(result)); },
                    .on_attempt_completed =
                        [this] {
                          end_soon();
                          admit_soon();
                        }}),
      admission_timer_(io_),
      ending_timer_(io_),
      grace_timer_(io_),
      status_timer_(io_),
      awake_timer_(io_) {}

FetchThread::~FetchThread() = default;

void FetchThread::start() {
  publish_status();
  watch_for_sleep();
  thread_ = std::thread(&FetchThread::work, this);
}

// A failure of the machine ends the run, not the process. Started hops still end in order, because their coroutines
// refer to members of this object.
void FetchThread::work() {
  constexpr int max_failures = 1000;  // with more failures, not even an orderly end is possible
  for (int failures = 0;; ++failures) {
    try {
      if (failures > 0) begin_quit();
      io_.run();
      return;
    } catch (...) {
      if (failures == max_failures) throw;
      shared_.failure.keep(std::current_exception());
    }
  }
}

void FetchThread::join() {
  if (thread_.joinable()) thread_.join();
}

void FetchThread::restore(storage::HostState host) {
  asio::post(io_, [this, host = std::move(host)] {
    frontier_.restore(host);
    hop_machine_.restore(host);
    const Timestamp latest = shared_.clock.now() + shared_.options.retry.max_retry_after;
    if (host.not_before && *host.not_before > latest) frontier_.abandon_until(host.origin, *host.not_before);
  });
}

void FetchThread::submit(std::unique_ptr<FetchState> fetch) {
  asio::post(io_, [this, fetch = std::move(fetch)]() mutable { accept(std::move(fetch)); });
}

void FetchThread::submit(std::vector<FetchRequest> requests) {
  asio::post(io_, [this, requests = std::move(requests)]() mutable {
    for (FetchRequest& request : requests) frontier_.push(std::move(request));
    end_soon();
    admit_soon();
  });
}

void FetchThread::stop(FailureKind why) {
  asio::post(io_, [this, why] { begin_stop(why); });
}

void FetchThread::quit() {
  asio::post(io_, [this] { begin_quit(); });
}

std::vector<storage::HostState> FetchThread::host_states() {
  std::promise<std::vector<storage::HostState>> promise;
  std::future<std::vector<storage::HostState>> states = promise.get_future();
  asio::post(io_, [this, promise = std::move(promise)]() mutable {
    std::vector<storage::HostState> known = frontier_.host_states();
    hop_machine_.add_to(known);
    promise.set_value(std::move(known));
  });
  while (states.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) shared_.failure.rethrow();
  return states.get();
}

PoolStatus FetchThread::status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

// Visits every host, so it runs less often if there are many.
void FetchThread::publish_status() {
  const auto started = std::chrono::steady_clock::now();
  PoolStatus now;
  now.pending = frontier_.size();
  now.in_flight = static_cast<std::size_t>(slots_.held()) + static_cast<std::size_t>(slots_.stalled());
  now.biggest_backlogs = frontier_.biggest_backlogs(backlogs_shown, shared_.clock.now());
  {
    const std::lock_guard lock(status_mutex_);
    status_ = std::move(now);
  }
  constexpr int rarely = 50;  // at most 2 % of the time
  status_timer_.expires_after(std::max<std::chrono::steady_clock::duration>(
      status_interval, rarely * (std::chrono::steady_clock::now() - started)));
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) publish_status();
  });
}

void FetchThread::watch_for_sleep() {
  awake_.sample();
  awake_timer_.expires_after(AwakeTime::sample_interval);
  awake_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) watch_for_sleep();
  });
}

void FetchThread::accept(std::unique_ptr<FetchState> fetch) {
  frontier_.push(std::move(fetch));
  end_soon();
  admit_soon();
}

void FetchThread::hand_over(std::unique_ptr<FetchState> fetch) {
  if (shared_.hand_over) shared_.hand_over(fetch);
  if (fetch == nullptr) return;
  FetchThread& owner = shared_.owner_of(fetch->hop_url);
  if (&owner == this) {
    accept(std::move(fetch));
  } else {
    owner.submit(std::move(fetch));
  }
}

void FetchThread::admit_soon() {
  if (admission_posted_ || hop_machine_.stopping()) return;
  admission_posted_ = true;
  asio::post(io_, [this] { admit(); });
}

void FetchThread::admit_at(Timestamp time) {
  admission_timer_.expires_after(std::max(Duration::zero(), time - shared_.clock.now()));
  admission_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) admit_soon();
  });
}

// Starts hops while the frontier and the limits allow it. Every call decides when to run again, so it may override a
// timer from an earlier call.
void FetchThread::admit() {
  admission_posted_ = false;
  for (int admitted = 0; !hop_machine_.stopping(); ++admitted) {
    const Timestamp now = shared_.clock.now();
    const bool include_first_contacts = has_room_for_first_contacts(now);
    const std::optional<Timestamp> ready = frontier_.next_ready(include_first_contacts);
    if (!ready || *ready > now) {
      slots_.not_needed();
      if (ready) admit_at(*ready);
      return;
    }
    if (admitted == max_admissions_per_turn) return admit_soon();
    if (now < hop_machine_.paused_until()) return admit_at(hop_machine_.paused_until());
    // If results cannot be delivered, or bodies wait to be stored, no new hop starts until they are.
    if (outbox_.is_full() || shared_.bodies.exhausted() || !slots_.take()) return admit_at(now + poll_interval);
    std::unique_ptr<FetchState> fetch = frontier_.pop(now, include_first_contacts);
    if (!fetch) {
      slots_.give_back();
      return admit_at(now + poll_interval);
    }
    begin(std::move(fetch));
  }
}

// A silent host keeps its slot for a second. Therefore hosts without any contact so far may take at most three quarters
// of the slots. The rest is for hosts that are known to answer, as long as these have pending links. So a thousand
// silent hosts cannot stop the others.
bool FetchThread::has_room_for_first_contacts(Timestamp now) const {
  const int first_contacts = stalls_.first_contacts();
  if (first_contacts < std::max(1, slots_.fair_share() * 3 / 4)) return true;
  return slots_.held() == first_contacts && !frontier_.has_known_hosts_by(now + StallWatch::timeout);
}

void FetchThread::begin(std::unique_ptr<FetchState> fetch) {
  ++hops_;
  const auto ended = [this](const std::exception_ptr& error) {
    --hops_;
    if (error) std::rethrow_exception(error);  // a failure of the machine: leaves io_.run() and ends the run
    end_if_quit();
  };
  try {
    asio::co_spawn(io_, hop_machine_.run(std::move(fetch)), ended);
  } catch (...) {
    --hops_;
    throw;
  }
}

void FetchThread::begin_stop(FailureKind why) {
  if (hop_machine_.stopping()) return;
  hop_machine_.stop(why);
  slots_.not_needed();
  admission_timer_.cancel();
  end_soon();
  grace_timer_.expires_after(shared_.options.shutdown_grace);
  grace_timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    curl_.cancel_all();
    resolver_.cancel_all();
  });
}

// Schedules end_some() if fetches must end without a request: all pending ones once the run stops, otherwise the
// abandoned ones.
void FetchThread::end_soon() {
  if (ending_ || (hop_machine_.stopping() ? frontier_.size() == 0 : !frontier_.has_abandoned())) return;
  ending_ = true;
  asio::post(io_, [this] { end_some(); });
}

// The only function that ends untried links. It ends them as fast as their results are consumed, so that a million of
// them are never in memory at once.
void FetchThread::end_some() {
  constexpr std::size_t at_once = 256;
  if (outbox_.is_full()) {
    ending_timer_.expires_after(poll_interval);
    ending_timer_.async_wait([this](boost::system::error_code error) {
      if (!error) end_some();
    });
    return;
  }
  ending_ = false;
  if (hop_machine_.stopping()) {
    for (const std::unique_ptr<FetchState>& fetch : frontier_.drain(at_once)) {
      hop_machine_.finish_untried(*fetch, *hop_machine_.stopping());
    }
  } else {
    for (const std::unique_ptr<FetchState>& fetch : frontier_.take_abandoned(at_once)) {
      const FailureKind why = fetch->not_before ? FailureKind::retry_after : FailureKind::host_unavailable;
      hop_machine_.finish_untried(*fetch, why, fetch->not_before);
    }
  }
  end_soon();
}

void FetchThread::begin_quit() {
  quitting_ = true;
  begin_stop(FailureKind::interrupted);
  curl_.cancel_all();
  resolver_.cancel_all();
  end_if_quit();
}

// Waits for every coroutine, because their frames refer to members of this object.
void FetchThread::end_if_quit() {
  if (quitting_ && hops_ == 0) io_.stop();
}

// Delivers with a delay, because transfers end in batches. Delivering each result at once would wake the consumer for
// every one.
void Outbox::put(FetchResult result) {
  waiting_.push_back(std::move(result));
  if (std::exchange(delivering_, true)) return;
  boost::asio::post(timer_.get_executor(), [this] { deliver(); });
}

void Outbox::deliver() {
  queue_.try_push_some(waiting_);
  if (queue_.closed()) waiting_.clear();  // nobody will ever pop them
  full_ = !waiting_.empty();
  delivering_ = full_;
  if (!full_) return;
  timer_.expires_after(std::chrono::milliseconds(5));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) deliver();
  });
}

}  // namespace linkherd::crawler
