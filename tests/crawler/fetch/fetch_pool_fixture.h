// A fetch pool that is connected to a SmallInternet, with timeouts that are short enough for tests. Most tests of the
// pool use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_pool.h"
#include "storage/link_id.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

using crawler::FailureKind;
using crawler::FetchResult;

class AttemptLog {
 public:
  void add(const parser::Url& url, int status, FailureKind failure) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(std::string(url.href()) + " " + std::to_string(status) + " " +
                    std::string(enum_name(crawler::failure_names, failure)));
  }
  crawler::OnAttempt on_attempt() {
    return [this](const parser::Url& url, int status, FailureKind failure) { add(url, status, failure); };
  }
  std::vector<std::string> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> seen_;
};

inline crawler::FetchRequest request_for(const std::string& url,
                                         std::optional<crawler::Validators> validators = std::nullopt,
                                         bool is_confirmation = false) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  if (!parsed) throw std::invalid_argument(url);
  return {storage::LinkId::of(*parsed), parsed->href(), std::move(validators), is_confirmation};
}

class FetchPoolFixture {
 public:
  // `internet` must outlive this object.
  explicit FetchPoolFixture(const SmallInternet& internet, std::size_t queue_size = 4096) : results(queue_size) {
    options.threads = 2;
    options.addresses.all = true;
    options.dns_servers = {internet.dns_server()};
    options.connect_to = internet.connect_to();
    options.ca_file = internet.ca_file();
    options.timeout = std::chrono::seconds(10);
    options.connect_timeout = std::chrono::seconds(3);
    options.retry.first_wait = std::chrono::milliseconds(20);
    options.politeness.host_request_interval = std::chrono::milliseconds(1);
  }

  // Creates the pool on first use, so that a test can change the options first.
  crawler::FetchPool& pool() {
    if (!bodies_) bodies_ = std::make_unique<crawler::ByteBudget>(options.body_budget);
    if (!pool_) pool_ = std::make_unique<crawler::FetchPool>(options, clock, *bodies_, results, attempts.on_attempt());
    return *pool_;
  }
  void end_pool() { pool_.reset(); }

  // Returns the next `count` results, or fewer if they do not arrive within a minute.
  std::vector<FetchResult> take(std::size_t count) {
    std::vector<FetchResult> taken;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (taken.size() < count && std::chrono::steady_clock::now() < deadline) {
      if (auto result = results.pop_for(std::chrono::milliseconds(100))) taken.push_back(std::move(*result));
    }
    return taken;
  }

  FetchResult fetch(crawler::FetchRequest request) {
    pool().submit(std::move(request));
    std::vector<FetchResult> taken = take(1);
    if (taken.empty()) throw std::runtime_error("no result came");
    return std::move(taken.front());
  }
  FetchResult fetch(const std::string& url) { return fetch(request_for(url)); }

  crawler::FetchOptions options;
  crawler::Clock clock;

 private:
  std::unique_ptr<crawler::ByteBudget> bodies_;  // declared before the results, which use its budget

 public:
  crawler::BoundedQueue<FetchResult> results;
  AttemptLog attempts;

 private:
  std::unique_ptr<crawler::FetchPool> pool_;
};

}  // namespace linkherd::tests
