// Measures time and memory of merging the stores of a run's parts. Each link has five different snapshots.
//   merge_bench FOLDER [LINKS [PARTS]]
// FOLDER must not exist. The stores remain there.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/link_writer.h"
#include "storage/merge.h"
#include "storage/store.h"

namespace {

using namespace linkherd;
using namespace linkherd::storage;
using std::chrono::steady_clock;

constexpr int checks_per_link = 5;

double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 7, nullptr) / 1000;
  }
  return 0;
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

CheckedLink link_of(std::size_t number, int check, Timestamp at) {
  CheckedLink link;
  const std::string url = fmt::format("https://www.host{}.example.cn/articles/2024/{}.html", number % 10'000, number);
  link.result.id = link.state.id = LinkId::of_text(url);
  link.result.finished = true;
  if (check == 0) {
    parser::LinkOccurrence occurrence;
    occurrence.file = fmt::format("lists/list{}.md", number % 100);
    occurrence.line = static_cast<std::uint32_t>(number / 100 + 1);
    occurrence.url = occurrence.href = url;
    occurrence.text = fmt::format("An article about subject {}", number);
    occurrence.headings = {"Articles", "2024"};
    link.result.occurrences.push_back(std::move(occurrence));
  }
  link.state.url = url;
  link.state.first_seen = at;
  Snapshot& snapshot = link.state.snapshot;
  snapshot.fetched_at = at;
  snapshot.verdict = {Health::alive, "ok", "status", "HTTP 200", 1.0};
  snapshot.status = 200;
  snapshot.final_url = url;
  snapshot.attempts = {{at, url, 200, "", 120}};
  snapshot.content_type = "text/html";
  snapshot.charset = "utf-8";
  snapshot.etag = fmt::format("\"{:x}-{}\"", number * 7919, check);
  snapshot.body_digest = content_digest(fmt::format("{} {}", number, check));
  snapshot.body_bytes = 20'000 + number % 1000;
  snapshot.metadata.title =
      parser::Field<std::string>{fmt::format("Subject {}, edition {}", number, check), "title", 0.9};
  snapshot.metadata.published = parser::Field<std::string>{"2024-03-05T10:20:00Z", "meta", 0.9};
  link.result.verdict = snapshot.verdict;
  return link;
}

void make_part(const std::filesystem::path& folder, std::size_t links, std::uint32_t number, std::uint32_t count) {
  const auto store = Store::open(folder);
  for (int check = 0; check < checks_per_link; ++check) {
    const Timestamp start = Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 3 / (check + 1)));
    Run run = store->begin_run(fmt::format("part {}", number), {"lists"}, start);
    run.shard = {number, count, "whole", links};
    for (std::size_t link = number - 1; link < links; link += count) {
      storage::put_link(*store, run, link_of(link, check, start + std::chrono::milliseconds(link)), {});
      ++run.by_health[Health::alive];
    }
    run.state = RunState::complete;
    run.finished_at = start + std::chrono::hours(12);
    store->put_run(run);
  }
  store->publish();
}

// Runs in a separate process, so that its memory is not counted.
void make_parts(const std::filesystem::path& folder, std::size_t links, std::uint32_t count) {
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint32_t number = 1; number <= count; ++number)
      make_part(folder / fmt::format("part{}", number), links, number, count);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("no stores were made");
}

void merge_into(Store& store, const std::vector<std::filesystem::path>& sources, const char* what) {
  const auto begun = steady_clock::now();
  const double cpu = cpu_seconds();
  const Merged merged = storage::merge(store, sources);
  fmt::print("{:<14} {:7.2f} s   cpu {:7.2f} s   peak {:5.0f} MB   {} links, {} looks, {} runs\n", what,
             std::chrono::duration<double>(steady_clock::now() - begun).count(), cpu_seconds() - cpu, peak_memory(),
             merged.new_links, merged.history_rows, merged.runs);
  for (const std::string& note : merged.notes) fmt::print("{}\n", note);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::filesystem::exists(argv[1])) {
    fmt::print(stderr, "merge_bench FOLDER [LINKS [PARTS]], where FOLDER does not exist yet\n");
    return 1;
  }
  const std::filesystem::path folder = argv[1];
  const std::size_t links = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1'000'000;
  const auto count = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4);
  const auto begun = steady_clock::now();
  make_parts(folder, links, count);
  fmt::print("{} links in {} stores, made in {:.0f} s\n", links, count,
             std::chrono::duration<double>(steady_clock::now() - begun).count());
  std::vector<std::filesystem::path> sources;
  for (std::uint32_t number = 1; number <= count; ++number) sources.push_back(folder / fmt::format("part{}", number));
  const auto store = Store::open(folder / "merged");
  merge_into(*store, sources, "merge");
  merge_into(*store, sources, "merge again");
  store->publish();
  fmt::print("the merged store takes {:.0f} MB\n", static_cast<double>(store->folder_bytes()) / 1e6);
  return 0;
}
