#include "crawler/fetch/fetch_pool.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include <ares.h>
#include <curl/curl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crawler/fetch/fetch_thread.h"
#include "crawler/fetch/pool_shared.h"
#include "parser/url/host.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

void initialise_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
    if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS) throw std::runtime_error("c-ares cannot be initialised");
    spdlog::default_logger_raw();  // comes to life here, not in whichever thread logs first
  });
}

constexpr std::size_t slowest_shown = 5;

int count_threads(const FetchOptions& options) {
  constexpr int most_by_default = 8;
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_by_default);
  return std::clamp(options.threads > 0 ? options.threads : cores, 1, std::max(1, options.max_concurrency));
}

// As many as asked for, but no more than this machine has descriptors for.
int count_stalled(const FetchOptions& options) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1'000'000) return options.max_stalled;
  const int for_sockets = static_cast<int>(limit.rlim_cur / 4 * 3);
  return std::clamp(for_sockets - options.max_concurrency, 0, std::max(0, options.max_stalled));
}

std::string choose_ca_file(const std::string& configured) {
  if (!configured.empty()) {
    if (access(configured.c_str(), R_OK) == 0) return configured;
    throw std::runtime_error(fmt::format("cannot read the certificate authorities in {}", configured));
  }
  const char* const built_in = curl_version_info(CURLVERSION_NOW)->cainfo;
  std::string file = built_in == nullptr ? "/etc/ssl/certs/ca-certificates.crt" : built_in;
  if (access(file.c_str(), R_OK) != 0) {
    spdlog::warn(
        "there are no certificate authorities in {}: https links cannot be checked (install ca-certificates, or use "
        "--ca-file)",
        file);
  }
  return file;
}

TransferSettings transfer_settings(const FetchOptions& options) {
  return {.user_agent = options.user_agent.empty() ? default_user_agent() : options.user_agent,
          .ca_file = choose_ca_file(options.ca_file),
          .addresses = {options.allow_private, options.allowed_ranges},
          .proxy = options.proxy,
          .client_cert = options.client_cert,
          .client_key = options.client_key.empty() ? options.client_cert : options.client_key,
          .min_tls = options.min_tls,
          .family = options.family,
          .http2 = options.http2,
          .connect_timeout = options.connect_timeout,
          .low_speed_time = options.low_speed_time,
          .body_budget = options.body_budget};
}

ConnectMap read_connect_map(const std::vector<std::string>& rules) {
  Result<ConnectMap> map = ConnectMap::parse(rules);
  if (!map) throw std::runtime_error("--connect-to: " + map.error().message);
  return std::move(*map);
}

}  // namespace

PoolShared::PoolShared(const FetchOptions& o, const Clock& c, ByteBudget& b, BoundedQueue<FetchResult>& r,
                       AttemptObserver& a)
    : options(o),
      thread_count(count_threads(o)),
      transfers(transfer_settings(o)),
      connect_map(read_connect_map(o.connect_to)),
      extra_headers(o.headers),
      clock(c),
      bodies(b),
      results(r),
      observer(a),
      slots(std::max(1, o.max_concurrency), count_stalled(o), thread_count),
      addresses(std::max(o.address_concurrency, o.politeness.host_concurrency),
                {.failures_to_open = 5, .first_wait = o.retry.first_wait}) {}

FetchThread& PoolShared::owner_of(const parser::Url& url) const {
  return *owners[std::hash<std::string>()(parser::registrable_domain(url)) % owners.size()];
}

FetchPool::FetchPool(const FetchOptions& options, const Clock& clock, ByteBudget& bodies,
                     BoundedQueue<FetchResult>& results, AttemptObserver& observer) {
  initialise_libraries();
  shared_ = std::make_unique<PoolShared>(options, clock, bodies, results, observer);
  for (int i = 0; i < shared_->thread_count; ++i) threads_.push_back(std::make_unique<FetchThread>(*shared_));
  for (const auto& thread : threads_) shared_->owners.push_back(thread.get());
  try {
    for (const auto& thread : threads_) thread->start();
  } catch (...) {  // no thread more: those that run must end before their handles do
    end();
    throw;
  }
}

FetchPool::~FetchPool() { end(); }

void FetchPool::end() {
  for (const auto& thread : threads_) thread->quit();
  for (const auto& thread : threads_) thread->join();  // all, before the first of them is gone: they post to each other
}

void FetchPool::restore(const std::vector<storage::HostState>& hosts) {
  for (storage::HostState host : hosts) {
    const Result<parser::Url> url = parser::Url::parse(host.origin);
    if (url) shared_->owner_of(*url).restore(std::move(host));
  }
}

void FetchPool::submit(FetchRequest request, std::optional<Timestamp> not_before) {
  auto fetch = std::make_unique<PendingFetch>(std::move(request));
  fetch->not_before = not_before;
  FetchThread& owner = shared_->owner_of(fetch->url);
  owner.submit(std::move(fetch));
}

void FetchPool::submit(std::vector<FetchRequest> requests) {
  std::unordered_map<FetchThread*, std::vector<FetchRequest>> by_owner;
  std::unordered_map<std::string, FetchThread*> owners;  // by origin: the registrable domain is looked up once
  for (FetchRequest& request : requests) {
    FetchThread*& owner = owners[parser::origin_of_href(request.href())];
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
    std::ranges::move(part.slowest, std::back_inserter(sum.slowest));
  }
  std::ranges::sort(sum.slowest, std::greater<>(), &HostBacklog::pending);
  if (sum.slowest.size() > slowest_shown) sum.slowest.resize(slowest_shown);
  return sum;
}

std::vector<storage::HostState> FetchPool::host_states() const {
  std::vector<storage::HostState> all;
  for (const auto& thread : threads_) std::ranges::move(thread->host_states(), std::back_inserter(all));
  return all;
}

}  // namespace linkherd::crawler
