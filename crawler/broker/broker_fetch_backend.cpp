#include "crawler/broker/broker_fetch_backend.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/http/fetch_result.h"
#include "crawler/run/crawl.h"
#include "parser/url/credentials.h"
#include "parser/url/host.h"

namespace linkherd::crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint16_t deliveries_at_once = 200;
// After this many deliveries a batch becomes a dead letter, because it seems to crash workers. All batches that a
// crashed worker held are counted, and workers also end for other reasons, so the limit is high.
constexpr int max_deliveries = 100;
// How often links without a result are sent again in a run.
constexpr int max_repeats = 2;
constexpr auto idle_run = std::chrono::hours(1);  // after this time the broker deletes the pages of the run
constexpr auto time_between_tries = std::chrono::seconds(2);
constexpr auto queue_poll_interval = std::chrono::seconds(10);
constexpr auto time_between_locks = std::chrono::milliseconds(100);
constexpr auto time_to_share = std::chrono::seconds(1);  // time for all waiting workers to discover the run
constexpr auto hosts_timeout = std::chrono::seconds(10);
// The broker may not yet have noticed the end of a connection: that of a killed run, or this process's own one that
// read a plan.
constexpr auto lock_timeout = std::chrono::seconds(10);

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Returns the page of a request that was never made.
AnalyzedPage without_answer(FetchRequest request, FailureKind why, std::string detail, Timestamp now) {
  FetchResult result(std::move(request));
  result.fetched_at = now;
  result.response = failed_attempt(why, std::move(detail));
  return analyze(std::move(result), {}, now);
}

}  // namespace

BrokerFetchBackend::BrokerFetchBackend(BrokerFetchOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), batches_(options_.buckets), progress_(clock.now()) {
  connect(lock_timeout);
}

BrokerFetchBackend::~BrokerFetchBackend() {
  try {
    if (out_) remove_queues();
  } catch (const std::exception& error) {  // the queues expire by themselves
    spdlog::debug(fmt::format("could not delete the queues of the run, which will expire: {}", error.what()));
  }
}

// Workers that hold messages of these queues drop them.
void BrokerFetchBackend::remove_queues() {
  out_->remove(queues::leases);
  out_->remove(queues::progress);
  out_->remove(queues::dead_letters);
  for (std::uint32_t bucket = 0; bucket < options_.buckets; ++bucket) out_->remove(queues::links(bucket));
  out_->remove(queues::pages(run_));
}

void BrokerFetchBackend::connect(std::chrono::seconds timeout) {
  out_.emplace(options_.broker);
  for (const auto end = steady_clock::now() + timeout; !out_->lock(queues::lock);) {
    if (steady_clock::now() >= end)
      throw BrokerError(
          fmt::format("another run is using the virtual host {} of the broker", options_.broker.virtual_host));
    std::this_thread::sleep_for(time_between_locks);
  }
  remove_queues();
  run_ = random_name();
  out_->declare({.name = queues::dead_letters});
  out_->declare({.name = queues::progress, .max_length = 1});
  out_->declare({.name = queues::pages(run_), .expires = idle_run});
  for (std::uint32_t bucket = 0; bucket < options_.buckets; ++bucket) {
    out_->declare(
        {.name = queues::links(bucket), .dead_letters = queues::dead_letters, .delivery_limit = max_deliveries});
  }
  in_.emplace(options_.broker);
  pages_ = in_->consume(queues::pages(run_), deliveries_at_once).value();
  dead_letters_.reset();
  last_page_ = steady_clock::now();
  batches_.assign(options_.buckets, {});
  out_->declare({.name = queues::leases});
  leases_are_sent_ = false;
  leases_from_ = steady_clock::now() + time_to_share;
  for (const auto& [key, request] : outstanding_) add(request, std::nullopt);
}

void BrokerFetchBackend::drop_connection(const BrokerError& error) {
  spdlog::warn(fmt::format("{}; connecting again", error.what()));
  in_.reset();
  out_.reset();
  found_.clear();
  taken_.reset();
  to_store_.reset();
  next_try_ = steady_clock::now() + time_between_tries;
}

void BrokerFetchBackend::restore(const std::vector<storage::HostState>& hosts) {
  for (const storage::HostState& host : hosts) update_host(host);
}

void BrokerFetchBackend::update_host(storage::HostState host) {
  progress_.note_host(host, clock_.now());
  std::string origin = host.origin;
  hosts_.insert_or_assign(std::move(origin), std::move(host));
}

// Sends one lease per bucket.
void BrokerFetchBackend::send_leases() {
  std::vector<std::vector<storage::HostState>> hosts(options_.buckets);
  for (const auto& [origin, host] : hosts_) {
    const Result<parser::Url> url = parser::Url::parse(origin);
    if (url) hosts[bucket_of(*url, options_.buckets)].push_back(host);
  }
  for (std::uint32_t bucket = 0; bucket < options_.buckets; ++bucket) {
    const BucketLease lease{run_,
                            bucket,
                            options_.buckets,
                            std::move(hosts[bucket]),
                            options_.should_skip_bodies,
                            !options_.warc_dir.empty()};
    out_->publish(queues::leases, encode_lease(lease, clock_.now()));
  }
  leases_are_sent_ = true;
  has_unconfirmed_ = true;
  next_poll_ = steady_clock::now() + queue_poll_interval;
}

// Called while no pages arrive. Workers may not have been started, or only dead letters may be left.
void BrokerFetchBackend::poll_broker() {
  if (outstanding_.empty() || steady_clock::now() < next_poll_) return;
  next_poll_ = steady_clock::now() + std::min<steady_clock::duration>(queue_poll_interval, options_.dead_letter_wait);
  const auto leases = out_->state_of(queues::leases);
  if (leases && leases->consumers == 0) spdlog::warn("no worker is connected: the links are waiting for one");
  const auto silence = steady_clock::now() - last_page_;
  if (silence < options_.dead_letter_wait) return;
  give_up_dead_letters();
  const bool has_lost_links = has_lost_links_ || silence >= options_.max_silence;
  if (!dead_letters_ && has_lost_links && are_all_links_taken()) repeat_lost_links();
}

void BrokerFetchBackend::give_up_dead_letters() {
  if (dead_letters_) in_->end(*std::exchange(dead_letters_, std::nullopt));
  const auto dead = out_->state_of(queues::dead_letters);
  if (dead && dead->messages > 0 && in_->can_consume_more())
    dead_letters_ = in_->consume(queues::dead_letters, deliveries_at_once);
}

bool BrokerFetchBackend::are_all_links_taken() {
  for (std::uint32_t bucket = 0; bucket < options_.buckets; ++bucket) {
    const auto links = out_->state_of(queues::links(bucket));
    if (links && links->messages > 0) return false;
  }
  return true;
}

// Sends all pending links again. An unreadable message does not say which links it contains, and a worker that takes
// links may never answer. The first of two results counts. The run must end regardless of what workers do.
void BrokerFetchBackend::repeat_lost_links() {
  has_lost_links_ = false;
  last_page_ = steady_clock::now();
  if (repeats_ < max_repeats) {
    ++repeats_;
    spdlog::warn(
        fmt::format("{} links have no usable result: they are sent to the workers again", outstanding_.size()));
    for (const auto& [key, request] : outstanding_) add(request, std::nullopt);
    return;
  }
  spdlog::warn(fmt::format("{} links have no usable result, although they were sent to the workers {} times",
                           outstanding_.size(), 1 + max_repeats));
  for (const auto& [key, request] : outstanding_)
    found_.push_back(unanswered_page(request, "No worker returned a usable result."));
}

// Returns a page with a final verdict, as if it were the response to a confirmation. `evidence`: empty if there is
// none.
WorkerPage BrokerFetchBackend::unanswered_page(const FetchRequest& request, std::string evidence) const {
  PageAnalysis analysis = without_answer(request.confirmation(), FailureKind::interrupted, "", clock_.now());
  if (!evidence.empty()) analysis.snapshot.verdict.evidence = std::move(evidence);
  return {RequestKey::of(request), std::move(analysis)};
}

void BrokerFetchBackend::show(const CrawlProgress& progress) { progress_.set_links(progress.total, progress.done); }

void BrokerFetchBackend::send_progress() {
  std::optional<RunProgress> progress = progress_.take_due(clock_.now(), steady_clock::now());
  if (!progress) return;
  progress->run = run_;
  progress->buckets = options_.buckets;
  progress->pending_requests = outstanding_.size();
  out_->publish(queues::progress, encode_progress(*progress));
  has_unconfirmed_ = true;
}

void BrokerFetchBackend::submit(std::vector<FetchRequest> requests) {
  for (FetchRequest& request : requests) submit(std::move(request));
}

void BrokerFetchBackend::submit(FetchRequest request, std::optional<Timestamp> not_before) {
  const RequestKey key = RequestKey::of(request);
  const auto known = outstanding_.insert_or_assign(key, std::move(request)).first;
  if (stopped_ || !out_) return;  // everything is sent when the connection is restored
  try {
    add(known->second, not_before);
  } catch (const BrokerError& error) {
    drop_connection(error);
  }
}

void BrokerFetchBackend::add(const FetchRequest& request, std::optional<Timestamp> not_before) {
  const std::uint32_t bucket = bucket_of(parser::Url::parse(request.href()).value(), options_.buckets);
  Batch& batch = batches_[bucket];
  append_request(batch.message, request, not_before, clock_.now());
  if (++batch.requests >= requests_per_batch) send(bucket);
}

void BrokerFetchBackend::send(std::uint32_t bucket) {
  out_->publish(queues::links(bucket), std::exchange(batches_[bucket], {}).message);
  has_unconfirmed_ = true;
}

void BrokerFetchBackend::flush() {
  for (std::uint32_t bucket = 0; bucket < options_.buckets; ++bucket) {
    if (batches_[bucket].requests > 0) send(bucket);
  }
  if (!leases_are_sent_ && steady_clock::now() >= leases_from_) send_leases();
  send_progress();
  if (!std::exchange(has_unconfirmed_, false)) return out_->stay_connected();
  static_cast<void>(out_->confirm());
}

std::optional<AnalyzedPage> BrokerFetchBackend::pop_for(milliseconds timeout) {
  if (stopped_) return next_without_answer();
  try {
    if (!out_ || !in_) {
      if (steady_clock::now() < next_try_) {
        std::this_thread::sleep_for(std::min(timeout, milliseconds(100)));
        return std::nullopt;
      }
      connect(std::chrono::seconds(0));
    }
    if (found_.empty()) {
      flush();
      if (!take_delivery(timeout) || found_.empty()) poll_broker();
    }
  } catch (const BrokerError& error) {
    drop_connection(error);
  }
  return next_page();
}

bool BrokerFetchBackend::take_delivery(milliseconds timeout) {
  const std::optional<BrokerConsumer::Delivery> delivery = in_->next(timeout);
  if (!delivery) return false;
  if (delivery->is_cancelled) throw BrokerError("the queues of the run have been deleted from the broker");
  if (delivery->subscription == pages_) {
    take_pages(*delivery);
  } else {
    take_dead_letter(*delivery);
  }
  return true;
}

void BrokerFetchBackend::take_pages(const BrokerConsumer::Delivery& delivery) {
  taken_ = delivery.tag;
  Result<WorkerPages> found = decode_pages(delivery.message, clock_.now());
  if (!found) {
    spdlog::warn(fmt::format("dropped pages of a worker: {}", found.error().message));
    has_lost_links_ = true;
    return;
  }
  for (WorkerPage& page : found->pages) {
    const auto request = outstanding_.find(page.key);
    if (request == outstanding_.end()) continue;  // requested twice, because a worker or a connection was lost
    origins_without_state_.insert(parser::parse_origin(request->second.href()));
    found_.push_back(std::move(page));
    last_page_ = steady_clock::now();
  }
  for (storage::HostState& host : found->hosts) {
    origins_without_state_.erase(host.origin);
    update_host(std::move(host));
  }
}

// Handles a batch that workers could not read or that made them crash.
void BrokerFetchBackend::take_dead_letter(const BrokerConsumer::Delivery& delivery) {
  const Result<std::vector<std::unique_ptr<FetchState>>> fetches = decode_requests(delivery.message);
  if (!fetches) {
    spdlog::warn(fmt::format("could not read a dead letter: {}", fetches.error().message));
    has_lost_links_ = true;
  }
  if (fetches) {
    const std::size_t before = found_.size();
    for (const auto& fetch : *fetches) {
      const auto request = outstanding_.find(RequestKey::of(fetch->request));
      if (request == outstanding_.end()) continue;
      if (found_.size() == before)
        spdlog::warn(fmt::format("no worker could process a batch of {} links with {}", fetches->size(),
                                 parser::mask_password(request->second.href())));
      found_.push_back(unanswered_page(request->second, ""));
    }
  }
  in_->acknowledge(delivery);
}

std::optional<AnalyzedPage> BrokerFetchBackend::next_page() {
  while (!found_.empty()) {
    WorkerPage page = std::move(found_.front());
    found_.pop_front();
    if (found_.empty()) to_store_ = std::exchange(taken_, std::nullopt);
    const auto request = outstanding_.find(page.key);
    if (request == outstanding_.end()) continue;  // the page was in two messages
    read_body_of(page);
    FetchRequest known = std::move(request->second);
    outstanding_.erase(request);
    parser::Url url = parser::Url::parse(known.href()).value();
    return AnalyzedPage{std::move(page.analysis), std::move(known), std::move(url)};
  }
  if (taken_) to_store_ = std::exchange(taken_, std::nullopt);
  return std::nullopt;
}

// A page counts even if its body cannot be read.
void BrokerFetchBackend::read_body_of(WorkerPage& page) const {
  if (!page.body_location || options_.warc_dir.empty()) return;
  Result<std::string> body = read_body(options_.warc_dir, *page.body_location, page.analysis.snapshot);
  if (body) {
    page.analysis.body = std::move(*body);
  } else {
    spdlog::warn(
        fmt::format("could not keep the body of {}: {}", page.analysis.snapshot.final_url, body.error().message));
  }
}

std::optional<AnalyzedPage> BrokerFetchBackend::next_without_answer() {
  if (std::optional<AnalyzedPage> page = next_page()) return page;
  if (outstanding_.empty()) return std::nullopt;
  FetchRequest request = std::move(outstanding_.begin()->second);
  outstanding_.erase(outstanding_.begin());
  return without_answer(std::move(request), *stopped_, "", clock_.now());
}

void BrokerFetchBackend::pages_are_stored() {
  if (!in_ || !to_store_) return;
  try {
    in_->acknowledge(pages_, *std::exchange(to_store_, std::nullopt), true);
  } catch (const BrokerError& error) {
    drop_connection(error);
  }
}

void BrokerFetchBackend::stop(FailureKind why) {
  if (stopped_) return;
  stopped_ = why;
  try {
    if (out_) remove_queues();
  } catch (const BrokerError& error) {
    spdlog::debug(error.what());
  }
  in_.reset();
  out_.reset();
}

PoolStatus BrokerFetchBackend::status() const {
  PoolStatus status;
  status.pending = outstanding_.size();
  return status;
}

std::vector<storage::HostState> BrokerFetchBackend::host_states() {
  const auto end = steady_clock::now() + hosts_timeout;
  while (!stopped_ && !origins_without_state_.empty() && in_ && steady_clock::now() < end) {
    try {
      take_delivery(milliseconds(100));
    } catch (const BrokerError& error) {
      drop_connection(error);
    }
  }
  std::vector<storage::HostState> hosts;
  hosts.reserve(hosts_.size());
  for (const auto& [origin, host] : hosts_) hosts.push_back(host);
  return hosts;
}

}  // namespace linkherd::crawler
