#include "crawler/fetch/fetch_thread.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr int most_admissions_a_turn = 64;  // then sockets and timers have their turn
constexpr Duration look_again = std::chrono::milliseconds(10);
constexpr auto status_interval = std::chrono::milliseconds(250);
constexpr std::size_t backlogs_shown = 5;

long idle_connections(const PoolShared& shared) {
  return std::max(64L, 2L * shared.options.max_concurrency / shared.thread_count);
}

ResolverSettings resolver_settings(const PoolShared& shared) {
  constexpr int most_lookups = 8;  // over all threads
  return {.kind = shared.options.resolver,
          .servers = shared.options.dns_servers,
          .family = shared.options.family,
          .patience = shared.options.connect_timeout,
          .system_threads = std::max(1, most_lookups / shared.thread_count),
          .question_denials = shared.options.questions_denials()};
}

// A host that is down is probed at the pace of retries.
Politeness politeness_of(const FetchOptions& options) {
  Politeness politeness = options.politeness;
  politeness.breaker.first_wait = options.retry.first_wait;
  return politeness;
}

}  // namespace

FetchThread::FetchThread(PoolShared& shared)
    : shared_(shared),
      curl_(io_, sockets_, idle_connections(shared)),
      resolver_(io_, sockets_, shared.clock, resolver_settings(shared)),
      frontier_(politeness_of(shared.options)),
      outbox_(io_, shared.results),
      slots_(shared.slots),
      stalls_(io_, slots_, [this] { admit_soon(); }),
      cycle_(io_, shared, curl_, resolver_, awake_, frontier_, stalls_,
             {.next = [this](std::unique_ptr<PendingFetch> fetch) { pass_on(std::move(fetch)); },
              .finished = [this](FetchResult result) { outbox_.put(std::move(result)); },
              .settled =
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

// What breaks the machine ends the run, not the process. What is under way here ends in order all the same, since its
// coroutines refer to members of this.
void FetchThread::work() {
  constexpr int most_failures = 1000;  // beyond that not even an end in order is possible
  for (int failures = 0;; ++failures) {
    try {
      if (failures > 0) begin_quit();
      io_.run();
      return;
    } catch (...) {
      if (failures == most_failures) throw;
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
    cycle_.restore(host);
    const Timestamp patience = shared_.clock.now() + shared_.options.retry.max_retry_after;
    if (host.not_before && *host.not_before > patience) frontier_.give_up_until(host.origin, *host.not_before);
  });
}

void FetchThread::submit(std::unique_ptr<PendingFetch> fetch) {
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
    cycle_.add_to(known);
    promise.set_value(std::move(known));
  });
  while (states.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) shared_.failure.rethrow();
  return states.get();
}

PoolStatus FetchThread::status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

// A look at every host: the more there are, the less often.
void FetchThread::publish_status() {
  const auto started = std::chrono::steady_clock::now();
  PoolStatus now;
  now.pending = frontier_.size();
  now.in_flight = static_cast<std::size_t>(slots_.held()) + static_cast<std::size_t>(slots_.stalled());
  now.slowest = frontier_.biggest_backlogs(backlogs_shown);
  {
    const std::lock_guard lock(status_mutex_);
    status_ = std::move(now);
  }
  constexpr int rarely = 50;  // a fiftieth of the time at most
  status_timer_.expires_after(std::max<std::chrono::steady_clock::duration>(
      status_interval, rarely * (std::chrono::steady_clock::now() - started)));
  status_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) publish_status();
  });
}

void FetchThread::watch_for_sleep() {
  awake_.look();
  awake_timer_.expires_after(AwakeTime::look_interval);
  awake_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) watch_for_sleep();
  });
}

void FetchThread::accept(std::unique_ptr<PendingFetch> fetch) {
  frontier_.push(std::move(fetch));
  end_soon();
  admit_soon();
}

void FetchThread::pass_on(std::unique_ptr<PendingFetch> fetch) {
  FetchThread& owner = shared_.owner_of(fetch->url);
  if (&owner == this) {
    accept(std::move(fetch));
  } else {
    owner.submit(std::move(fetch));
  }
}

void FetchThread::admit_soon() {
  if (admission_posted_ || cycle_.stopping()) return;
  admission_posted_ = true;
  asio::post(io_, [this] { admit(); });
}

void FetchThread::admit_at(Timestamp time) {
  admission_timer_.expires_after(std::max(Duration::zero(), time - shared_.clock.now()));
  admission_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) admit_soon();
  });
}

// Every call decides anew when to look again, so a timer that is still set from an earlier one may be overridden.
void FetchThread::admit() {
  admission_posted_ = false;
  for (int admitted = 0; !cycle_.stopping(); ++admitted) {
    const Timestamp now = shared_.clock.now();
    const bool first_contacts_too = has_room_for_first_contacts(now);
    const std::optional<Timestamp> ready = frontier_.next_ready(first_contacts_too);
    if (!ready || *ready > now) {
      slots_.not_needed();
      if (ready) admit_at(*ready);
      return;
    }
    if (admitted == most_admissions_a_turn) return admit_soon();
    if (now < cycle_.paused_until()) return admit_at(cycle_.paused_until());
    // A result that cannot be delivered, or bodies that nobody has stored yet: what comes in must wait for what goes
    // out.
    if (outbox_.is_full() || shared_.bodies.exhausted() || !slots_.take()) return admit_at(now + look_again);
    std::unique_ptr<PendingFetch> fetch = frontier_.pop(now, first_contacts_too);
    if (!fetch) {
      slots_.give_back();
      return admit_at(now + look_again);
    }
    begin(std::move(fetch));
  }
}

// A host that says nothing keeps its slot for a second. So hosts that have never been asked leave a quarter of the
// slots to those that are known to answer, as long as these have something to do: a thousand silent hosts must not stop
// them.
bool FetchThread::has_room_for_first_contacts(Timestamp now) const {
  const int first_contacts = stalls_.first_contacts();
  if (first_contacts < std::max(1, slots_.fair_share() * 3 / 4)) return true;
  return slots_.held() == first_contacts && !frontier_.has_known_hosts_by(now + StallWatch::patience);
}

void FetchThread::begin(std::unique_ptr<PendingFetch> fetch) {
  ++hops_;
  const auto ended = [this](const std::exception_ptr& error) {
    --hops_;
    if (error) std::rethrow_exception(error);  // a broken machine: out of io_.run(), and the run ends
    end_if_quit();
  };
  try {
    asio::co_spawn(io_, cycle_.run(std::move(fetch)), ended);
  } catch (...) {
    --hops_;
    throw;
  }
}

void FetchThread::begin_stop(FailureKind why) {
  if (cycle_.stopping()) return;
  cycle_.stop(why);
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

// Whether anything is to end without another request: all that is pending once the run stops, else what is given up.
void FetchThread::end_soon() {
  if (ending_ || (cycle_.stopping() ? frontier_.size() == 0 : !frontier_.has_given_up())) return;
  ending_ = true;
  asio::post(io_, [this] { end_some(); });
}

// The one place that ends links which are not tried. They end as fast as their results are taken, so that a million of
// them never stand in memory at once.
void FetchThread::end_some() {
  constexpr std::size_t at_once = 256;
  if (outbox_.is_full()) {
    ending_timer_.expires_after(look_again);
    ending_timer_.async_wait([this](boost::system::error_code error) {
      if (!error) end_some();
    });
    return;
  }
  ending_ = false;
  if (cycle_.stopping()) {
    for (const std::unique_ptr<PendingFetch>& fetch : frontier_.drain(at_once)) {
      cycle_.finish_untried(*fetch, *cycle_.stopping());
    }
  } else {
    for (const GivenUp& given_up : frontier_.take_given_up(at_once)) {
      const FailureKind why = given_up.retry_at ? FailureKind::retry_after : FailureKind::host_unavailable;
      cycle_.finish_untried(*given_up.fetch, why, given_up.retry_at);
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

// Not before every coroutine has ended: their frames refer to members of this.
void FetchThread::end_if_quit() {
  if (quitting_ && hops_ == 0) io_.stop();
}

// Not delivered at once: transfers end in batches, and one by one each result would wake whoever waits for it.
void Outbox::put(FetchResult result) {
  waiting_.push_back(std::move(result));
  if (std::exchange(delivering_, true)) return;
  boost::asio::post(timer_.get_executor(), [this] { deliver(); });
}

void Outbox::deliver() {
  queue_.try_push_some(waiting_);
  if (queue_.closed()) waiting_.clear();  // nobody will ever take them
  full_ = !waiting_.empty();
  delivering_ = full_;
  if (!full_) return;
  timer_.expires_after(std::chrono::milliseconds(5));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) deliver();
  });
}

}  // namespace linkherd::crawler
