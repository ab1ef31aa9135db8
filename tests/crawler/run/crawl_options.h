// Options of crawls through a small internet, with short waits.
#pragma once

#include <chrono>

#include "crawler/run/crawl.h"
#include "tests/support/small_internet.h"

namespace linkherd::crawler {

inline CrawlOptions options_for(const tests::SmallInternet& internet) {
  CrawlOptions options;
  options.fetch.addresses.all = true;
  options.fetch.dns_servers = {internet.dns_server()};
  options.fetch.connect_to = internet.connect_to();
  options.fetch.ca_file = internet.ca_file();
  options.fetch.politeness.host_request_interval = std::chrono::milliseconds(1);
  options.fetch.retry.max_retries = 0;
  options.fetch.timeout = std::chrono::seconds(20);
  options.confirm_wait = std::chrono::milliseconds(50);
  options.inputs = {"list.md"};
  return options;
}

}  // namespace linkherd::crawler
