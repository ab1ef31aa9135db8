// Fetches links for runs on other machines. A worker takes leases of buckets from a broker, fetches the links of their
// hosts like `check` does, and returns the results. A request is acknowledged only after the broker has its page. If a
// worker fails, its links therefore go to other workers.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>

#include "crawler/broker/broker_connection.h"
#include "crawler/clock/clock.h"
#include "crawler/run/crawl.h"

namespace linkherd::crawler {

struct WorkerOptions {
  BrokerAddress broker;
  CrawlOptions crawl;  // how links are fetched and evaluated
  // folder for bodies (crawler/broker/body_writer.h); empty: all bodies pass through the broker
  std::filesystem::path warc_dir = {};
  // Maximum time to hold buckets. RabbitMQ takes unacknowledged messages back after half an hour.
  std::chrono::seconds max_hold = std::chrono::minutes(5);
  // How long to wait for pending links before buckets are returned. After a signal they get only the grace period of
  // the fetch pool.
  std::chrono::seconds drain_time = std::chrono::seconds(10);
};

// Runs until `stop` is set. Errors of the broker are logged, and the connection is restored.
void work(const WorkerOptions& options, const Clock& clock, const std::atomic<StopSignal>& stop);

}  // namespace linkherd::crawler
