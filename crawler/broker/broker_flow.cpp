#include "crawler/broker/broker_flow.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/broker/topology.h"
#include "crawler/fetch/http/fetch_result.h"
#include "parser/url/host.h"

namespace linkherd::crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t requests_a_batch = 50;
constexpr std::uint16_t deliveries_at_once = 200;
constexpr int most_deliveries = 5;  // of a batch that workers do not survive
constexpr auto idle_run = std::chrono::hours(1);
constexpr auto time_between_tries = std::chrono::seconds(2);
constexpr auto patience_for_workers = std::chrono::seconds(10);
constexpr auto patience_for_hosts = std::chrono::seconds(10);

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// What a request comes to that nobody made.
AnalyzedPage without_answer(FetchRequest request, FailureKind why, std::string detail, Timestamp now) {
  PendingFetch fetch(std::move(request));
  FetchResult result(fetch);
  result.fetched_at = now;
  result.answer = failed_hop(why, std::move(detail));
  return analyze(std::move(result), {}, now);
}

}  // namespace

BrokerFlow::BrokerFlow(BrokerAddress address, std::uint32_t buckets, const Clock& clock)
    : address_(std::move(address)), buckets_(buckets), clock_(clock), batches_(buckets) {
  connect();
}

BrokerFlow::~BrokerFlow() {
  try {
    if (out_) remove_queues();
  } catch (const std::exception& error) {  // they expire
    spdlog::debug(fmt::format("the queues of the run are left to expire: {}", error.what()));
  }
}

// Workers that have something of them give it up.
void BrokerFlow::remove_queues() {
  out_->remove(queues::leases);
  for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket) out_->remove(queues::links(run_, bucket));
  out_->remove(queues::pages(run_));
  out_->remove(queues::dead_letters(run_));
}

void BrokerFlow::connect() {
  out_.emplace(address_);
  if (!out_->lock(queues::lock)) {
    throw BrokerError(fmt::format("another run uses the virtual host {} of the broker", address_.virtual_host));
  }
  remove_queues();
  run_ = random_name();
  const BrokerQueue dead{.name = queues::dead_letters(run_), .expires = idle_run};
  out_->declare(dead);
  out_->declare({.name = queues::pages(run_), .expires = idle_run});
  for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    out_->declare({.name = queues::links(run_, bucket),
                   .dead_letters = dead.name,
                   .delivery_limit = most_deliveries,
                   .expires = idle_run});
  }
  in_.emplace(address_);
  pages_ = in_->consume(queues::pages(run_), deliveries_at_once).value();
  dead_letters_ = in_->consume(dead.name, deliveries_at_once).value();
  batches_.assign(buckets_, {});
  leases_are_sent_ = false;
  for (const auto& [key, request] : outstanding_) add(request, std::nullopt);
}

void BrokerFlow::lose(const BrokerError& error) {
  spdlog::warn(fmt::format("{}; connecting again", error.what()));
  in_.reset();
  out_.reset();
  found_.clear();
  taken_.reset();
  to_store_.reset();
  next_try_ = steady_clock::now() + time_between_tries;
}

void BrokerFlow::restore(const std::vector<storage::HostState>& hosts) {
  for (const storage::HostState& host : hosts) hosts_.emplace(host.origin, host);
}

// One a bucket.
void BrokerFlow::send_leases() {
  std::vector<std::vector<storage::HostState>> hosts(buckets_);
  for (const auto& [origin, host] : hosts_) {
    const Result<parser::Url> url = parser::Url::parse(origin);
    if (url) hosts[bucket_of(*url, buckets_)].push_back(host);
  }
  out_->declare({.name = queues::leases});
  for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    out_->publish(queues::leases, encode_lease({run_, bucket, buckets_, std::move(hosts[bucket])}));
  }
  leases_are_sent_ = true;
  has_news_ = true;
  next_look_for_workers_ = steady_clock::now() + patience_for_workers;
}

// Somebody may have forgotten to start them.
void BrokerFlow::miss_workers() {
  if (outstanding_.empty() || steady_clock::now() < next_look_for_workers_) return;
  next_look_for_workers_ = steady_clock::now() + patience_for_workers;
  const auto leases = out_->state_of(queues::leases);
  if (leases && leases->consumers == 0) spdlog::warn("there is no worker: the links wait for one");
}

void BrokerFlow::submit(std::vector<FetchRequest> requests) {
  for (FetchRequest& request : requests) submit(std::move(request));
}

void BrokerFlow::submit(FetchRequest request, std::optional<Timestamp> not_before) {
  const RequestKey key = RequestKey::of(request);
  const auto known = outstanding_.insert_or_assign(key, std::move(request)).first;
  if (stopped_ || !out_) return;  // when there is a connection again, all is sent
  try {
    add(known->second, not_before);
  } catch (const BrokerError& error) {
    lose(error);
  }
}

void BrokerFlow::add(const FetchRequest& request, std::optional<Timestamp> not_before) {
  const std::uint32_t bucket = bucket_of(parser::Url::parse(request.href()).value(), buckets_);
  asked_.insert(parser::origin_of_href(request.href()));
  Batch& batch = batches_[bucket];
  append_request(batch.message, request, not_before);
  if (++batch.requests >= requests_a_batch) send(bucket);
}

void BrokerFlow::send(std::uint32_t bucket) {
  out_->publish(queues::links(run_, bucket), std::exchange(batches_[bucket], {}).message);
  has_news_ = true;
}

void BrokerFlow::flush() {
  for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket) {
    if (batches_[bucket].requests > 0) send(bucket);
  }
  if (!leases_are_sent_) send_leases();
  if (!std::exchange(has_news_, false)) return out_->stay_connected();
  static_cast<void>(out_->confirm());
}

std::optional<AnalyzedPage> BrokerFlow::pop_for(milliseconds timeout) {
  if (stopped_) return next_without_answer();
  try {
    if (!out_ || !in_) {
      if (steady_clock::now() < next_try_) {
        std::this_thread::sleep_for(std::min(timeout, milliseconds(100)));
        return std::nullopt;
      }
      connect();
    }
    if (found_.empty()) {
      flush();
      if (!take_delivery(timeout)) miss_workers();
    }
  } catch (const BrokerError& error) {
    lose(error);
  }
  return next_page();
}

bool BrokerFlow::take_delivery(milliseconds timeout) {
  const std::optional<BrokerConsumer::Delivery> delivery = in_->next(timeout);
  if (!delivery) return false;
  if (delivery->is_cancelled) throw BrokerError("somebody has deleted the queues of the run");
  if (delivery->subscription == pages_) {
    take_pages(*delivery);
  } else {
    take_dead_letter(*delivery);
  }
  return true;
}

void BrokerFlow::take_pages(const BrokerConsumer::Delivery& delivery) {
  taken_ = delivery.tag;
  Result<FoundPages> found = decode_pages(delivery.message);
  if (!found) {
    spdlog::warn(fmt::format("pages of a worker are dropped: {}", found.error().message));
    return;
  }
  std::ranges::move(found->pages, std::back_inserter(found_));
  for (storage::HostState& host : found->hosts) {
    asked_.erase(host.origin);
    hosts_.insert_or_assign(host.origin, std::move(host));
  }
}

// Workers could not read it, or did not survive it.
void BrokerFlow::take_dead_letter(const BrokerConsumer::Delivery& delivery) {
  const Result<std::vector<std::unique_ptr<PendingFetch>>> fetches = decode_requests(delivery.message);
  if (!fetches) spdlog::warn(fmt::format("a dead letter cannot be read: {}", fetches.error().message));
  if (fetches) {
    for (const auto& fetch : *fetches) {
      const auto request = outstanding_.find(RequestKey::of(fetch->request));
      if (request == outstanding_.end()) continue;
      spdlog::warn(fmt::format("no worker can deal with {}", request->second.href()));
      FoundPage page;
      page.key = request->first;
      page.snapshot =
          without_answer(request->second.confirmation(), FailureKind::interrupted, "", clock_.now()).snapshot;
      found_.push_back(std::move(page));
    }
  }
  in_->acknowledge(delivery);
}

std::optional<AnalyzedPage> BrokerFlow::next_page() {
  while (!found_.empty()) {
    FoundPage page = std::move(found_.front());
    found_.pop_front();
    if (found_.empty()) to_store_ = std::exchange(taken_, std::nullopt);
    const auto request = outstanding_.find(page.key);
    if (request == outstanding_.end()) continue;  // it was asked twice: a worker or a connection was lost
    AnalyzedPage analyzed = std::move(page).with(std::move(request->second));
    outstanding_.erase(request);
    return analyzed;
  }
  if (taken_) to_store_ = std::exchange(taken_, std::nullopt);
  return std::nullopt;
}

std::optional<AnalyzedPage> BrokerFlow::next_without_answer() {
  if (std::optional<AnalyzedPage> page = next_page()) return page;
  if (outstanding_.empty()) return std::nullopt;
  FetchRequest request = std::move(outstanding_.begin()->second);
  outstanding_.erase(outstanding_.begin());
  return without_answer(std::move(request), *stopped_, "", clock_.now());
}

void BrokerFlow::pages_are_stored() {
  if (!in_ || !to_store_) return;
  try {
    in_->acknowledge(pages_, *std::exchange(to_store_, std::nullopt), true);
  } catch (const BrokerError& error) {
    lose(error);
  }
}

void BrokerFlow::stop(FailureKind why) {
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

PoolStatus BrokerFlow::status() const {
  PoolStatus status;
  status.pending = outstanding_.size();
  return status;
}

std::vector<storage::HostState> BrokerFlow::host_states() {
  const auto end = steady_clock::now() + patience_for_hosts;
  while (!stopped_ && !asked_.empty() && in_ && steady_clock::now() < end) {
    try {
      take_delivery(milliseconds(100));
    } catch (const BrokerError& error) {
      lose(error);
    }
  }
  std::vector<storage::HostState> hosts;
  hosts.reserve(hosts_.size());
  for (const auto& [origin, host] : hosts_) hosts.push_back(host);
  return hosts;
}

}  // namespace linkherd::crawler
