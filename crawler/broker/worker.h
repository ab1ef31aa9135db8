// A worker: takes leases of buckets from a broker, fetches the links of their hosts by the same flow as `check`, and
// hands back what was found. Whatever happens to it, its links go to others: a request is acknowledged when the broker
// has its page.
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
  CrawlOptions crawl;                   // how links are fetched and judged
  std::filesystem::path warc_dir = {};  // for bodies (crawler/broker/body_writer.h); empty: all pass the broker
  // For how long buckets are held at most; RabbitMQ takes back after half an hour what is not acknowledged.
  std::chrono::seconds max_hold = std::chrono::minutes(5);
  // For how long the links that have been taken are waited for when the buckets are to go to others. A signal leaves
  // them only the time that the pool gives to what is in flight.
  std::chrono::seconds drain_time = std::chrono::seconds(10);
};

// Returns when stopped. What the broker does is logged, and connected again.
void work(const WorkerOptions& options, const Clock& clock, const std::atomic<StopSignal>& stop);

}  // namespace linkherd::crawler
