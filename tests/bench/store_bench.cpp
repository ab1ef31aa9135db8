// Measures the disk space, time and memory of a store, each next to its limit:
//   store_bench records [LINKS]         LINKS links with five changes each, without bodies
//   store_bench unchanged [LINKS]       the growth of the store in a run without changes
//   store_bench bodies FOLDER [PAGES]   PAGES pages, made by changing the saved pages below FOLDER
//   store_bench year [LINKS]            a year of daily runs in which one link in a hundred changes, with bodies
// The store is created in a temporary folder below TMPDIR, which is removed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/store.h"
#include "storage/store_directory.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace linkherd;
using namespace linkherd::storage;
namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::size_t links_a_file = 1000;

struct Usage {
  double seconds = 0;
  double cpu = 0;
  double megabytes = 0;  // peak resident memory
  int exit_code = -1;
};

Usage run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);  // 1: O_WRONLY
  pid_t child = 0;
  const auto begin = steady_clock::now();
  if (posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ) != 0) return {};
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> seconds = steady_clock::now() - begin;
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {seconds.count(), in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

void print_figure(std::string_view what, double value, std::string_view unit, double bar) {
  fmt::print("{:<52} {:>10.1f} {:<3} (bar {}) {}\n", what, value, unit, bar, value <= bar ? "ok" : "MISSED");
  std::fflush(stdout);
}

void print_usage(std::string_view what, const Usage& usage, double seconds, double megabytes) {
  print_figure(fmt::format("{}: time (CPU {:.1f} s, exit code {})", what, usage.cpu, usage.exit_code), usage.seconds,
               "s", seconds);
  print_figure(fmt::format("{}: peak memory", what), usage.megabytes, "MB", megabytes);
}

double megabytes_of(const fs::path& store) { return static_cast<double>(StoreDirectory(store).disk_use()) / (1 << 20); }

Timestamp day_of(std::int64_t number) {
  return Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)) + std::chrono::days(number);
}

// Returns an ordinary link of a list. `version` is the number of changes of its page.
CheckedLink make_link(std::uint64_t number, std::uint64_t version, std::int64_t on_day) {
  const std::string url =
      fmt::format("https://www.host{}.example.org/articles/2024/some-title-{}.html", number / 10, number);
  CheckedLink link;
  link.result.id = LinkId::of_text(url);
  link.result.finished = true;
  link.result.verdict = {Health::alive, std::string(reason::ok), "status", "HTTP 200", 1.0};
  parser::LinkOccurrence occurrence;
  occurrence.file = fmt::format("docs/list{}.md", number / links_a_file);
  occurrence.line = static_cast<std::uint32_t>(number % links_a_file + 1);
  occurrence.column = 3;
  occurrence.url = url;
  occurrence.href = url;
  occurrence.text = fmt::format("Some title {}", number);
  occurrence.headings = {"Articles", fmt::format("Section {}", number % links_a_file / 20)};
  link.result.occurrences.push_back(std::move(occurrence));
  LinkState& state = link.state;
  state.id = link.result.id;
  state.url = url;
  state.first_seen = day_of(0);
  state.last_alive = day_of(on_day);
  Snapshot& snapshot = state.snapshot;
  snapshot.fetched_at = day_of(on_day) + std::chrono::milliseconds(number);
  snapshot.verdict = link.result.verdict;
  snapshot.status = 200;
  snapshot.final_url = url;
  snapshot.attempts = {{snapshot.fetched_at, url, 200, "", static_cast<std::uint32_t>(number % 400)}};
  snapshot.content_type = "text/html; charset=utf-8";
  snapshot.charset = "UTF-8";
  snapshot.etag = fmt::format("\"{:x}-{:x}\"", number * 2654435761U % 4294967291U, version);
  snapshot.body_digest = content_digest(fmt::format("{} {}", number, version));
  snapshot.body_bytes = 20'000 + number % 1000;
  state.first_version_at = day_of(0) + std::chrono::milliseconds(number);
  std::mt19937_64 bits(number * 16 + version);  // random, because a signature is incompressible
  snapshot.main_text = {
      .digest = bits(), .simhash = bits(), .length = 5000 + number % 1000, .minhash = {bits(), bits(), bits(), bits()}};
  snapshot.remote_address = fmt::format("203.0.{}.{}", number / 250 % 250, number % 250);
  snapshot.metadata.title = {
      .value = fmt::format("Some title {}, revision {}", number, version), .source = "title", .confidence = 0.8};
  snapshot.metadata.description = {.value = fmt::format("What the article {} is about, in a sentence or two.", number),
                                   .source = "meta",
                                   .confidence = 0.7};
  snapshot.metadata.language = {.value = "en", .source = "html", .confidence = 0.9};
  snapshot.headers = {{"content-type", snapshot.content_type},
                      {"server", "nginx"},
                      {"etag", snapshot.etag},
                      {"date", fmt::format("day {} of the year", on_day)},
                      {"cache-control", "max-age=600"},
                      {"vary", "Accept-Encoding"},
                      {"content-length", std::to_string(snapshot.body_bytes)}};
  return link;
}

// Stores one run over all links, as `check` ends it. Returns the duration of the final work in seconds.
template <class MakeLink>
double make_run(Store& store, std::uint64_t links, std::int64_t on_day, MakeLink make) {
  Run run = store.begin_run("bench", {"docs"}, day_of(on_day));
  constexpr std::size_t at_once = 1000;  // as in a fast run
  storage::LinkWriter writer(store, run);
  for (std::uint64_t number = 0; number < links; ++number) {
    const auto [link, body] = make(number);
    writer.add(link, body);
    if ((number + 1) % at_once == 0 || number + 1 == links) writer.write();
  }
  run.state = RunState::complete;
  run.finished_at = day_of(on_day) + std::chrono::hours(1);
  run.by_health = {{Health::alive, links}};
  const auto begin = steady_clock::now();
  store.end_run(run, {}, day_of(on_day), *run.finished_at - run.started_at);
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

void make_changing_runs(const fs::path& store, std::uint64_t links) {
  constexpr std::uint64_t changes = 5;
  const auto open = Store::open(store);
  for (std::uint64_t version = 0; version <= changes; ++version) {
    const auto begin = steady_clock::now();
    const auto on_day = static_cast<std::int64_t>(version);
    make_run(*open, links, on_day,
             [&](std::uint64_t number) { return std::pair(make_link(number, version, on_day), std::string()); });
    const std::chrono::duration<double> seconds = steady_clock::now() - begin;
    fmt::print("run {}: {:.0f} s, {:.0f} us a link\n", version + 1, seconds.count(),
               seconds.count() * 1e6 / static_cast<double>(links));
    std::fflush(stdout);
  }
}

void bench_records(const fs::path& store, std::uint64_t links) {
  // A separate process, because the peak memory of a child starts at that of its parent.
  const pid_t writer = fork();
  if (writer == 0) {
    make_changing_runs(store, links);
    _exit(0);
  }
  int status = 0;
  if (writer < 0 || waitpid(writer, &status, 0) != writer || status != 0) throw StoreError("the writer failed");
  const double scale = static_cast<double>(links) / 1e6;
  print_figure("on disk, as the last run left it", megabytes_of(store), "MB", 1100 * scale);
  print_usage("linkherd store compact", run_program({LINKHERD_PROGRAM, "store", "compact", "--store", store}), 1e9,
              300);
  print_figure("on disk, compacted", megabytes_of(store), "MB", 1100 * scale);
  print_usage("open (linkherd runs)", run_program({LINKHERD_PROGRAM, "runs", "--store", store}), 1, 300);
  print_usage("linkherd report", run_program({LINKHERD_PROGRAM, "report", "--store", store}), 5 * std::max(scale, 0.2),
              std::max(1500 * scale, 300.0));
  print_usage("linkherd store verify", run_program({LINKHERD_PROGRAM, "store", "verify", "--store", store}),
              60 * std::max(scale, 0.2), 300);
}

void bench_unchanged(const fs::path& store, std::uint64_t links) {
  const auto open = Store::open(store);
  const auto run_of_day = [&](std::int64_t on_day) {
    make_run(*open, links, on_day,
             [on_day](std::uint64_t number) { return std::pair(make_link(number, 0, on_day), std::string()); });
    return megabytes_of(store);
  };
  double before = run_of_day(0);
  for (std::int64_t on_day = 1; on_day <= 4; ++on_day) {
    const double after = run_of_day(on_day);
    print_figure(fmt::format("run {} adds a link", on_day + 1),
                 (after - before) * (1 << 20) / static_cast<double>(links), "B", 300);
    before = after;
  }
}

// Changes some words and some numbers, as an edit would.
std::string changed_page(std::string page, std::mt19937_64& random) {
  const std::size_t edits = 5 + random() % 40;
  for (std::size_t edit = 0; edit < edits && !page.empty(); ++edit) {
    const std::size_t at = random() % page.size();
    const std::size_t word = page.find_first_of("0123456789aeiou", at);
    if (word != std::string::npos) page[word] = static_cast<char>('a' + random() % 26);
  }
  return page;
}

std::vector<std::string> pages_below(const fs::path& folder) {
  std::vector<std::string> pages;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && (name.ends_with(".html") || name.ends_with(".htm"))) {
      pages.push_back(tests::read_file(entry.path()));
    }
  }
  return pages;
}

void bench_bodies(const fs::path& store, const fs::path& folder, std::uint64_t count) {
  const std::vector<std::string> pages = pages_below(folder);
  if (pages.empty()) throw StoreError("no page below " + folder.string());
  std::mt19937_64 random(1);
  double raw = 0;
  double again = 0;
  {
    const auto open = Store::open(store);
    make_run(*open, count, 0, [&](std::uint64_t number) {
      CheckedLink link = make_link(number, 0, 0);
      std::string page = changed_page(pages[number % pages.size()], random);
      link.state.snapshot.body_digest = content_digest(page);
      raw += static_cast<double>(page.size()) / (1 << 20);
      return std::pair(std::move(link), std::move(page));
    });
    again = megabytes_of(store);
    // Equal bodies are stored once: this run stores the last pages again, for other links.
    make_run(*open, 100, 1, [&](std::uint64_t number) {
      CheckedLink link = make_link(number + count, 0, 1);
      link.state.snapshot.body_digest =
          LinkHistory(*open).state(make_link(number, 0, 0).result.id)->snapshot.body_digest;
      return std::pair(std::move(link), LinkHistory(*open).body(link.state.snapshot.body_digest).value());
    });
  }
  const auto written = Store::open_for_reading(store);
  const double stored = static_cast<double>(written->rows().bytes(Family::body)) / (1 << 20);
  fmt::print("{} pages, {:.0f} MB raw; folder {:.0f} MB, then {:.0f} MB\n", written->rows().row_count(Family::body),
             raw, again, megabytes_of(store));
  print_figure("bodies, of their raw size", 100 * stored / raw, "%", 22);
}

std::string page_of(std::uint64_t number, std::uint64_t version) {
  std::string page = fmt::format("<title>Page {} as of {}</title>\n", number, version);
  std::mt19937_64 random(number * 1000 + version);
  while (page.size() < 8000) page += fmt::format("<p>Paragraph {} of {:x}{:x}</p>\n", page.size(), random(), random());
  return page;
}

void bench_year(const fs::path& store, std::uint64_t links) {
  constexpr std::int64_t days = 365;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> versions(links, 0);
  double max_run_end_seconds = 0;
  {
    const auto open = Store::open(store);
    for (std::int64_t on_day = 0; on_day < days; ++on_day) {
      for (std::uint64_t change = 0; on_day > 0 && change < links / 100; ++change) ++versions[random() % links];
      const double seconds = make_run(*open, links, on_day, [&](std::uint64_t number) {
        CheckedLink link = make_link(number, versions[number], on_day);
        std::string page = page_of(number, versions[number]);
        link.state.snapshot.body_digest = content_digest(page);
        return std::pair(std::move(link), std::move(page));
      });
      max_run_end_seconds = std::max(max_run_end_seconds, seconds);
      if (on_day % 50 == 0) fmt::print("day {}: {:.0f} MB\n", on_day, megabytes_of(store));
      std::fflush(stdout);
    }
  }
  print_figure("after a year", megabytes_of(store), "MB", 400 * std::max(1.0, static_cast<double>(links) / 1e4));
  print_figure("the longest end of a run", max_run_end_seconds, "s", 2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number_at = [&](std::size_t index, std::uint64_t otherwise) {
    return words.size() > index ? std::strtoull(words[index].c_str(), nullptr, 10) : otherwise;
  };
  const std::string what = words.empty() ? "" : words.front();
  try {
    const tests::TempDir folder;
    const fs::path store = folder / "store";
    if (what == "records") {
      bench_records(store, number_at(1, 1'000'000));
    } else if (what == "unchanged") {
      bench_unchanged(store, number_at(1, 20'000));
    } else if (what == "bodies" && words.size() > 1) {
      bench_bodies(store, words[1], number_at(2, 100'000));
    } else if (what == "year") {
      bench_year(store, number_at(1, 10'000));
    } else {
      fmt::print(stderr, "store_bench records|unchanged|year [LINKS], or bodies FOLDER [PAGES]\n");
      return 3;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
