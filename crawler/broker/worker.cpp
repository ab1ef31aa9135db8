#include "crawler/broker/worker.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/broker/body_writer.h"
#include "crawler/broker/messages.h"
#include "crawler/broker/queue_names.h"
#include "crawler/run/fetch_backend.h"

namespace linkherd::crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds busy_wait{5};
constexpr milliseconds publishing_interval{50};  // collects several pages in a message
constexpr int max_unacknowledged = 100;
constexpr milliseconds idle_wait{100};
constexpr auto share_interval = std::chrono::seconds(2);
constexpr auto idle_share_interval = milliseconds(300);  // while the worker has no leases
// after this time it subscribes again, because the queue may have been deleted
constexpr auto max_idle = std::chrono::seconds(30);
constexpr auto waiting_interval = std::chrono::seconds(10);
constexpr auto quiet_before_report = milliseconds(300);
constexpr int max_batches_in_flight = 1600;
constexpr std::size_t pages_bytes_at_once = std::size_t{1} << 20;
constexpr auto pause_after_outage = std::chrono::seconds(30);

// Requests whose hosts belong to a bucket that another worker may hold. Filled by the fetch threads.
class ReroutedFetches {
 public:
  void put(std::unique_ptr<FetchState> fetch) {
    const std::lock_guard lock(mutex_);
    fetches_.push_back(std::move(fetch));
  }
  std::vector<std::unique_ptr<FetchState>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fetches_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<FetchState>> fetches_;
};

// Returns the number of buckets per worker.
std::size_t share_of(std::uint32_t buckets, std::uint32_t workers) {
  return (buckets + std::max(1U, workers) - 1) / std::max(1U, workers);
}

// The buckets of a run that this worker holds, from their leases until they are returned.
//
// For example, a run has 64 buckets, and 3 workers are connected. Each worker holds at most 22 of them. When a fourth
// worker connects, the share becomes 16, and serve() ends. It first finishes the pending requests for up to
// `drain_time`, then returns all leases, and the next subscription takes 16 of them.
//
// A request ends in one of three ways: with a page, by a redirect to a bucket that is not held, or because fetching
// stopped. In the last two cases it is put back into the queue of its bucket. Its batch is acknowledged when all
// requests of the batch have ended.
class BucketLeases {
 public:
  // `leases`: subscription that provides further leases. `lease`: the first one.
  BucketLeases(const WorkerOptions& options, const Clock& clock, BrokerConsumer& in, BrokerPublisher& out,
               const std::atomic<StopSignal>& stop, BrokerConsumer::Subscription leases, const BucketLease& lease)
      : options_(options),
        clock_(clock),
        in_(in),
        out_(out),
        stop_(stop),
        leases_(leases),
        run_(lease.run),
        bucket_count_(lease.buckets),
        without_bodies_(lease.should_skip_bodies),
        reads_files_(lease.reads_files),
        is_held_(lease.buckets),
        backend_(options.crawl, clock, [this](std::unique_ptr<FetchState>& fetch) {
          if (!holds(fetch->hop_url)) rerouted_.put(std::move(fetch));
        }) {
    if (reads_files_ && !options.warc_dir.empty()) bodies_.emplace(options.warc_dir, run_, clock);
  }

  void add(const BrokerConsumer::Delivery& delivery, const BucketLease& lease);
  // Serves the buckets until other workers should have them. `share`: maximum buckets of this worker.
  void serve(std::size_t share);

 private:
  struct Bucket {
    std::uint32_t number = 0;
    BrokerConsumer::Delivery lease;
    BrokerConsumer::Subscription links = 0;
  };
  struct PendingRequest {
    BrokerConsumer::Subscription subscription = 0;
    std::uint64_t tag = 0;
    std::uint32_t bucket = 0;  // bucket of the queue it came from
    std::string request;       // as received; empty: no redirects yet and no earliest time
  };
  using BatchKey = std::pair<BrokerConsumer::Subscription, std::uint64_t>;
  struct BatchHash {
    std::size_t operator()(const BatchKey& key) const noexcept { return key.second * 65537 + key.first; }
  };

  bool holds(const parser::Url& url) const { return is_held_[bucket_of(url, bucket_count_)].load(); }
  bool take_delivery(milliseconds timeout);
  void take_lease(const BrokerConsumer::Delivery& delivery);
  void take_batch(const BrokerConsumer::Delivery& delivery);
  void take_pages();
  std::optional<BodyLocation> take_body(AnalyzedPage& page);
  void take_rerouted();
  void put_back(std::uint32_t bucket, std::string_view request);
  void publish();
  void finish(const RequestKey& key);
  void report_hosts();
  void report_waiting_hosts();
  void send_hosts(const std::vector<storage::HostState>& hosts);
  bool is_to_end(std::size_t share);
  void drain();
  void hand_back();

  const WorkerOptions& options_;
  const Clock& clock_;
  BrokerConsumer& in_;
  BrokerPublisher& out_;
  const std::atomic<StopSignal>& stop_;
  const BrokerConsumer::Subscription leases_;
  const std::string run_;
  const std::uint32_t bucket_count_;
  const bool without_bodies_;
  const bool reads_files_;
  std::optional<BodyWriter> bodies_;        // set if the run reads files and a folder for them exists
  std::vector<std::atomic<bool>> is_held_;  // by bucket; read by the fetch threads
  std::vector<Bucket> buckets_;
  ReroutedFetches rerouted_;
  LocalFetchBackend backend_;
  std::unordered_map<BatchKey, std::size_t, BatchHash> batches_;  // pending requests per batch
  std::unordered_map<RequestKey, PendingRequest> pending_;
  // Contents of the next publish(), and the requests that end with it.
  std::string pages_;
  struct PutBack {
    std::vector<std::string> batches;
    std::size_t requests = 0;
  };
  std::unordered_map<std::uint32_t, PutBack> put_back_;  // by bucket
  std::vector<RequestKey> done_;
  bool has_run_ended_ = false;  // true if the run has ended
  bool is_outage_ = false;
  bool is_ending_ = false;  // true if no more buckets are taken
  bool has_new_host_states_ = false;
  steady_clock::time_point last_publishing_{}, last_news_{}, next_share_check_{}, next_report_of_waiting_{};
};

void BucketLeases::add(const BrokerConsumer::Delivery& delivery, const BucketLease& lease) {
  if (lease.run != run_ || lease.buckets != bucket_count_ || is_held_[lease.bucket]) return in_.acknowledge(delivery);
  const auto share = static_cast<std::uint32_t>(max_batches_in_flight) / bucket_count_;
  const auto links = in_.consume(queues::links(lease.bucket), static_cast<std::uint16_t>(std::max(1U, share)));
  if (!links) return in_.acknowledge(delivery);  // the run has ended
  backend_.restore(lease.hosts);
  buckets_.push_back({lease.bucket, delivery, *links});
  is_held_[lease.bucket] = true;
}

void BucketLeases::serve(std::size_t share) {
  spdlog::info(fmt::format("serving run {}", run_));
  const auto began = steady_clock::now();
  next_share_check_ = began + share_interval;
  next_report_of_waiting_ = began + waiting_interval;
  while (!has_run_ended_ && !buckets_.empty() && steady_clock::now() - began < options_.max_hold && !is_to_end(share)) {
    milliseconds timeout = pending_.empty() ? idle_wait : busy_wait;
    for (int i = 0; i < max_unacknowledged && take_delivery(timeout); ++i) timeout = milliseconds(0);
    take_pages();
    take_rerouted();
    if (pages_.size() >= pages_bytes_at_once || steady_clock::now() - last_publishing_ >= publishing_interval)
      publish();
    const bool is_quiet = pending_.empty() && steady_clock::now() - last_news_ > quiet_before_report;
    if (has_new_host_states_ && is_quiet) report_hosts();
    if (steady_clock::now() >= next_report_of_waiting_) report_waiting_hosts();
  }
  if (!has_run_ended_) drain();
  if (!has_run_ended_) hand_back();
  if (has_run_ended_) {
    for (const Bucket& bucket : buckets_) in_.acknowledge(bucket.lease);
  }
  spdlog::info(fmt::format("{} {} buckets of run {}", has_run_ended_ ? "dropped" : "returned", buckets_.size(), run_));
  if (is_outage_) {
    spdlog::warn("this network seems to be down: fetching pauses");
    const auto end = steady_clock::now() + pause_after_outage;
    while (steady_clock::now() < end && stop_.load() == StopSignal::none) std::this_thread::sleep_for(idle_wait);
  }
}

bool BucketLeases::is_to_end(std::size_t share) {
  if (stop_.load() != StopSignal::none) return true;
  if (steady_clock::now() < next_share_check_) return false;
  next_share_check_ = steady_clock::now() + share_interval;
  const std::optional<BrokerPublisher::QueueState> leases = out_.state_of(queues::leases);
  has_run_ended_ = !leases || !is_alive(out_, run_);
  is_outage_ = is_outage(backend_.contacts(), options_.crawl.outage_share, true);
  return has_run_ended_ || is_outage_ || share_of(bucket_count_, leases->consumers) != share;
}

bool BucketLeases::take_delivery(milliseconds timeout) {
  const std::optional<BrokerConsumer::Delivery> delivery = in_.next(timeout);
  if (!delivery) return false;
  if (delivery->is_cancelled) {
    has_run_ended_ = true;
  } else if (delivery->subscription == leases_) {
    take_lease(*delivery);
  } else {
    take_batch(*delivery);
  }
  return true;
}

void BucketLeases::take_lease(const BrokerConsumer::Delivery& delivery) {
  if (is_ending_) return;  // the lease returns when the subscription ends
  const Result<BucketLease> lease = decode_lease(delivery.message, clock_.now());
  if (lease) return add(delivery, *lease);
  spdlog::warn(fmt::format("dropped a lease: {}", lease.error().message));
  in_.acknowledge(delivery);
}

void BucketLeases::take_batch(const BrokerConsumer::Delivery& delivery) {
  Result<std::vector<std::unique_ptr<FetchState>>> fetches = decode_requests(delivery.message, clock_.now());
  const auto is_foreign = [this](const auto& fetch) { return !holds(fetch->hop_url); };
  if (!fetches || std::ranges::any_of(*fetches, is_foreign)) {
    spdlog::warn(fmt::format("rejected a batch of requests: {}",
                             fetches ? "it contains hosts of another bucket" : fetches.error().message));
    in_.reject(delivery);
    return;
  }
  std::size_t& outstanding = batches_[{delivery.subscription, delivery.tag}];
  for (std::unique_ptr<FetchState>& fetch : *fetches) {
    PendingRequest entry{delivery.subscription, delivery.tag, bucket_of(fetch->hop_url, bucket_count_), {}};
    if (!fetch->redirects.empty() || fetch->not_before) append_request(entry.request, *fetch, clock_.now());
    const bool is_new = pending_.try_emplace(RequestKey::of(fetch->request), std::move(entry)).second;
    if (!is_new) continue;  // sent twice, because the run had lost its connection
    ++outstanding;
    backend_.submit(std::move(fetch));
  }
  if (outstanding > 0) return;
  batches_.erase({delivery.subscription, delivery.tag});
  in_.acknowledge(delivery);
}

void BucketLeases::take_pages() {
  while (pages_.size() < pages_bytes_at_once) {
    std::optional<AnalyzedPage> page = backend_.pop_for(milliseconds(0));
    if (!page) return;
    const RequestKey key = RequestKey::of(page->request);
    const std::string_view reason = page->snapshot.verdict.reason;
    // the request was not made here and is put back
    if (reason == storage::reason::interrupted || reason == storage::reason::outage) {
      PendingRequest& known = pending_.at(key);
      if (known.request.empty()) append_request(known.request, page->request, std::nullopt);
      put_back(known.bucket, known.request);
    } else {
      append_page(pages_, key, *page, clock_.now(), take_body(*page));
      has_new_host_states_ = true;
      last_news_ = steady_clock::now();
    }
    done_.push_back(key);
  }
}

// Removes the body of a page if it is not sent with it, and returns its location if it was written to a file. Bodies of
// follow-up requests are always sent, because the run reads them.
std::optional<BodyLocation> BucketLeases::take_body(AnalyzedPage& page) {
  if (page.request.is_follow_up()) return std::nullopt;
  std::optional<BodyLocation> location;
  if (bodies_ && !without_bodies_ && page.body.size() >= min_body_in_file_bytes)
    location = bodies_->write(page.snapshot, page.body);
  if (without_bodies_ || location) page.body.clear();
  return location;
}

void BucketLeases::take_rerouted() {
  for (const std::unique_ptr<FetchState>& fetch : rerouted_.take()) {
    std::string request;
    append_request(request, *fetch, clock_.now());
    put_back(bucket_of(fetch->hop_url, bucket_count_), request);
    done_.push_back(RequestKey::of(fetch->request));
  }
}

void BucketLeases::put_back(std::uint32_t bucket, std::string_view request) {
  PutBack& all = put_back_[bucket];
  if (all.requests++ % requests_per_batch == 0) all.batches.emplace_back();
  append_requests(all.batches.back(), request);
}

// Publishes results, then requests to put back, then acknowledges. A worker that is killed in between only causes
// repeated work.
void BucketLeases::publish() {
  if (done_.empty()) return;
  last_publishing_ = steady_clock::now();
  if (bodies_) bodies_->sync();
  if (!pages_.empty()) out_.publish(queues::pages(run_), pages_);
  for (const auto& [bucket, all] : put_back_) {
    for (const std::string& batch : all.batches) out_.publish(queues::links(bucket), batch);
  }
  if (!out_.confirm().empty()) has_run_ended_ = true;
  pages_.clear();
  put_back_.clear();
  for (const RequestKey& key : std::exchange(done_, {})) finish(key);
}

void BucketLeases::finish(const RequestKey& key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  const BatchKey of{found->second.subscription, found->second.tag};
  pending_.erase(found);
  const auto batch = batches_.find(of);
  if (--batch->second > 0) return;
  batches_.erase(batch);
  in_.acknowledge(of.first, of.second);
}

// Sends the host states that the run needs when it ends.
void BucketLeases::report_hosts() {
  has_new_host_states_ = false;
  send_hosts(backend_.host_states());
}

// Sends the states of paused hosts, so that observers can see why links wait.
void BucketLeases::report_waiting_hosts() {
  next_report_of_waiting_ = steady_clock::now() + waiting_interval;
  std::vector<storage::HostState> hosts = backend_.host_states();
  std::erase_if(hosts, [now = clock_.now()](const storage::HostState& host) { return host.not_before <= now; });
  send_hosts(hosts);
}

void BucketLeases::send_hosts(const std::vector<storage::HostState>& hosts) {
  if (hosts.empty()) return;
  std::string message;
  append_hosts(message, hosts, clock_.now());
  out_.publish(queues::pages(run_), message);
  if (!out_.confirm().empty()) has_run_ended_ = true;
}

// Finishes the requests that were taken. Requests that take longer are put back as received.
void BucketLeases::drain() {
  is_ending_ = true;
  for (const Bucket& bucket : buckets_) in_.cancel(bucket.links);
  const auto end = steady_clock::now() + (is_outage_ ? std::chrono::seconds(0) : options_.drain_time);
  bool stopped = false;
  while (!has_run_ended_) {
    while (take_delivery(milliseconds(0))) {  // messages that were in transit when the subscriptions were cancelled
    }
    if (pending_.empty()) return;
    if (!stopped && (steady_clock::now() >= end || stop_.load() != StopSignal::none)) {
      backend_.stop(is_outage_ ? FailureKind::outage : FailureKind::interrupted);
      stopped = true;
    }
    std::this_thread::sleep_for(busy_wait);
    take_pages();
    take_rerouted();
    publish();
  }
}

void BucketLeases::hand_back() {
  report_hosts();
  if (has_run_ended_) return;
  std::unordered_map<std::uint32_t, std::vector<storage::HostState>> hosts;
  for (storage::HostState& host : backend_.host_states()) {
    const Result<parser::Url> url = parser::Url::parse(host.origin);
    if (url) hosts[bucket_of(*url, bucket_count_)].push_back(std::move(host));
  }
  for (const Bucket& bucket : buckets_) {
    const BucketLease lease{run_,        bucket.number, bucket_count_, std::move(hosts[bucket.number]), without_bodies_,
                            reads_files_};
    out_.publish(queues::leases, encode_lease(lease, clock_.now()));
  }
  static_cast<void>(out_.confirm());
  for (const Bucket& bucket : buckets_) {
    in_.acknowledge(bucket.lease);
    in_.end(bucket.links);
  }
}

// A worker's session over one connection to the broker.
class Worker {
 public:
  Worker(const WorkerOptions& options, const Clock& clock, const std::atomic<StopSignal>& stop)
      : options_(options), clock_(clock), stop_(stop), in_(options.broker), out_(options.broker) {}

  void run() {
    while (stop_.load() == StopSignal::none && in_.can_consume_more()) {
      const std::optional<BrokerPublisher::QueueState> leases = out_.state_of(queues::leases);
      if (!leases) {
        std::this_thread::sleep_for(idle_wait);
        continue;
      }
      const std::size_t share = share_of(buckets_, leases->consumers + 1);
      const auto subscription =
          in_.consume(queues::leases, static_cast<std::uint16_t>(std::min<std::size_t>(share, UINT16_MAX)));
      if (!subscription) continue;
      // Other workers may have counted at the same moment.
      const std::optional<BrokerPublisher::QueueState> now = out_.state_of(queues::leases);
      const bool is_share = now && share_of(buckets_, now->consumers) == share;
      if (is_share) hold(*subscription, share);
      in_.cancel(*subscription);  // it must not count as a consumer when the next share is computed
      in_.end(*subscription);
      if (!is_share) std::this_thread::sleep_for(milliseconds(pause_(random_)));
    }
  }

 private:
  // Waits for a lease and serves it. `share`: maximum leases of the subscription.
  void hold(BrokerConsumer::Subscription leases, std::size_t share) {
    const auto end = steady_clock::now() + max_idle;
    auto next_share_check = steady_clock::now() + idle_share_interval;
    auto next_look = steady_clock::now() + share_interval;
    while (stop_.load() == StopSignal::none && steady_clock::now() < end) {
      const std::optional<BrokerConsumer::Delivery> delivery = in_.next(idle_wait);
      out_.stay_connected();
      if (!delivery) {
        if (steady_clock::now() < next_share_check) continue;
        next_share_check = steady_clock::now() + idle_share_interval;
        const std::optional<BrokerPublisher::QueueState> state = out_.state_of(queues::leases);
        if (!state || state->consumers == 0 || share_of(buckets_, state->consumers) != share) return;
        if (steady_clock::now() < next_look) continue;
        next_look = steady_clock::now() + share_interval;
        if (state->messages > 0) return;  // the queue may be that of another run
        continue;
      }
      if (delivery->is_cancelled) return;
      const Result<BucketLease> lease = decode_lease(delivery->message, clock_.now());
      if (!lease) spdlog::warn(fmt::format("dropped a lease: {}", lease.error().message));
      if (!lease || !is_alive(out_, lease->run)) {
        in_.acknowledge(*delivery);  // the run has ended
        continue;
      }
      buckets_ = lease->buckets;
      BucketLeases held_buckets(options_, clock_, in_, out_, stop_, leases, *lease);
      held_buckets.add(*delivery, *lease);
      return held_buckets.serve(share);
    }
  }

  const WorkerOptions& options_;
  const Clock& clock_;
  const std::atomic<StopSignal>& stop_;
  BrokerConsumer in_;
  BrokerPublisher out_;
  std::uint32_t buckets_ = default_buckets;  // of the latest run
  std::minstd_rand random_{std::random_device{}()};
  std::uniform_int_distribution<int> pause_{0, 500};  // random, so that workers do not count at the same moment again
};

}  // namespace

void work(const WorkerOptions& options, const Clock& clock, const std::atomic<StopSignal>& stop) {
  constexpr auto max_pause = std::chrono::seconds(5);
  milliseconds pause{500};
  while (stop.load() == StopSignal::none) {
    const auto began = steady_clock::now();
    try {
      Worker(options, clock, stop).run();
    } catch (const BrokerError& error) {
      spdlog::warn(fmt::format("{}; connecting again", error.what()));
    }
    pause = steady_clock::now() - began > max_pause ? milliseconds(500) : std::min<milliseconds>(pause * 2, max_pause);
    const auto end = steady_clock::now() + pause;
    while (steady_clock::now() < end && stop.load() == StopSignal::none) std::this_thread::sleep_for(idle_wait);
  }
}

}  // namespace linkherd::crawler
