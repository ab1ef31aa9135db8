// Measures the memory of pending links, from the text of the list to the frontier, and the time until the first of them
// can be fetched.
//   pending_memory [LINKS [HOSTS]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/clock/clock.h"
#include "crawler/frontier/frontier.h"
#include "crawler/run/link_table_builder.h"
#include "crawler/run/result_recorder.h"

namespace {

using namespace linkherd;
using namespace linkherd::crawler;
using std::chrono::steady_clock;

// Returns a field of /proc/self/status in MB.
double memory(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size() + 1, nullptr) / 1000;
  }
  return 0;
}

std::vector<InputDocument> make_lists(std::size_t links, std::size_t hosts) {
  constexpr std::size_t links_a_file = 10'000;
  std::vector<InputDocument> lists;
  for (std::size_t i = 0; i < links; ++i) {
    if (i % links_a_file == 0)
      lists.push_back({fmt::format("list{}.md", lists.size()), "", parser::DocumentFormat::markdown});
    lists.back().text +=
        fmt::format("- [Entry {}](https://www.host{}.example.cn/articles/2024/{}.html)\n", i, i % hosts, i);
  }
  return lists;
}

void say(const char* what, steady_clock::time_point since) {
  fmt::print("{:<34} {:7.2f} s   rss {:6.0f} MB   peak {:6.0f} MB\n", what,
             std::chrono::duration<double>(steady_clock::now() - since).count(), memory("VmRSS:"), memory("VmHWM:"));
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t links = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
  const std::size_t hosts = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 20'000;
  fmt::print("{} links on {} hosts\n", links, hosts);
  const auto started = steady_clock::now();
  std::vector<InputDocument> lists = make_lists(links, hosts);
  say("lists written", started);
  const auto planning = steady_clock::now();
  LinkTable plan = build_link_table(lists, {});
  lists = {};
  say("planned", planning);

  CrawlOptions options;
  const Clock clock;
  ResultRecorder recorder(std::move(plan), options, clock, nullptr);
  Frontier frontier{Politeness{}};
  recorder.begin();
  const auto queueing = steady_clock::now();
  bool first = true;
  while (!recorder.all_taken()) {
    for (FetchRequest& request : recorder.take_requests(1000)) frontier.push(std::move(request));
    if (first && frontier.pop(clock.now())) say("first link to be fetched, from start", started);
    first = false;
  }
  say("all pending", queueing);
  fmt::print("{:.0f} bytes a link at the peak\n", memory("VmHWM:") * 1e6 / static_cast<double>(links));
}
