#include "crawler/fetch/fetch_pool.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include <ares.h>
#include <curl/curl.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/fetch_thread.h"
#include "crawler/fetch/pool_shared.h"
#include "parser/url/host.h"

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

}  // namespace

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
