// Runs the fetch pool alone, without extraction, parsing, verdicts or store, to compare its cost with a plain libcurl
// loop. Politeness is off.
//   fetch_engine [--concurrency N] [--threads N] [--ca-file FILE] FILE_OF_URLS
// Prints the number of links per status.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "crawler/clock/clock.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/fetch/fetch_pool.h"
#include "parser/url/url.h"
#include "storage/link_id.h"

namespace {

using namespace linkherd;

struct Settings {
  crawler::FetchOptions fetch;
  std::string urls;
};

Settings read_arguments(int count, char** arguments) {
  Settings settings;
  crawler::FetchOptions& fetch = settings.fetch;
  fetch.addresses.all = true;
  fetch.robots = crawler::RobotsMode::ignore;
  fetch.politeness.host_request_interval = Duration::zero();
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const auto value = [&] { return ++i < count ? arguments[i] : throw std::runtime_error("a value is missing"); };
    if (name == "--concurrency") {
      fetch.max_concurrency = std::atoi(value());
    } else if (name == "--threads") {
      fetch.threads = std::atoi(value());
    } else if (name == "--ca-file") {
      fetch.ca_file = value();
    } else {
      settings.urls = name;
    }
  }
  fetch.politeness.host_concurrency = fetch.max_concurrency;
  fetch.politeness.domain_concurrency = fetch.max_concurrency;
  return settings;
}

void run(const Settings& settings) {
  std::ifstream lines(settings.urls);
  if (!lines) throw std::runtime_error("cannot read " + settings.urls);
  const crawler::Clock clock;
  crawler::ByteBudget bodies(settings.fetch.body_budget);
  crawler::BoundedQueue<crawler::FetchResult> results(256);
  std::map<int, int> statuses;
  crawler::FetchPool pool(settings.fetch, clock, bodies, results);
  constexpr std::size_t links_at_once = 1000;  // as many as a run takes from its plan
  std::vector<crawler::FetchRequest> requests;
  std::size_t outstanding = 0;
  for (std::string line; std::getline(lines, line); ++outstanding) {
    Result<parser::Url> url = parser::Url::parse(line);
    if (!url) throw std::runtime_error("not a URL: " + line);
    const storage::LinkId id = storage::LinkId::of(*url);
    requests.emplace_back(id, url->href());
    if (requests.size() < links_at_once) continue;
    pool.submit(std::exchange(requests, {}));
  }
  pool.submit(std::move(requests));
  for (; outstanding > 0; --outstanding) {
    const std::optional<crawler::FetchResult> result = results.pop();
    if (result) ++statuses[result->response.status];
  }
  for (const auto& [status, links] : statuses) fmt::print("{} {}\n", status, links);
}

}  // namespace

int main(int count, char** arguments) try {
  run(read_arguments(count, arguments));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "fetch_engine: {}\n", error.what());
  return 1;
}
