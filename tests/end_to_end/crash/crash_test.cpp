// Kills the program at random moments of all commands that write a store, repeatedly with the same store. Acknowledged
// data must be present and intact, `linkherd store verify` must find nothing, and the repeated command must work.
// LINKHERD_KILLS sets the number of kills (default 10); LINKHERD_SEED repeats the random choices of an earlier test.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parser/url/url.h"
#include "storage/link_history.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/store_directory.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using storage::Store;

constexpr int hosts = 12;
constexpr int pages = 5;  // a host
constexpr int keep_runs = 3;

std::string url_of(int host, int page) { return fmt::format("https://h{}.herd/{}", host, page); }

storage::LinkId id_of(const std::string& url) { return storage::LinkId::of(parser::Url::parse(url).value()); }

// Large enough for a blob file. Two of three pages change every day.
std::string page_text(int host, const std::string& target, int day) {
  const bool changes = target.ends_with("1") || target.ends_with("2");
  const std::string title = fmt::format("Page {} of host {}, day {}", target, changes ? host : 0, changes ? day : 0);
  std::string text = fmt::format("<title>{0}</title><h1>{0}</h1>", title);
  while (text.size() < 6000) text += fmt::format("<p>{} at {}</p>\n", title, text.size());
  return text;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// Returns the URLs and healths of the lines "stored: URL HEALTH REASON" of a log. A line is logged after its link was
// stored.
std::map<std::string, std::string> stored_links(const std::string& log) {
  constexpr std::string_view mark = "stored: ";
  std::map<std::string, std::string> links;
  std::istringstream lines(log.substr(0, log.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::istringstream words(line.substr(at + mark.size()));
    std::string url;
    words >> url >> links[url];
  }
  return links;
}

// A command that is killed, and the number of kills that hit it while it was running.
struct Victim {
  std::string name;
  int share;                                          // share of the kills
  std::function<std::vector<std::string>()> begin;    // prepares the command and returns its arguments
  std::function<void(const ProgramResult&)> examine;  // checks the state after the kill
  std::chrono::milliseconds takes{0};                 // its duration without a kill
  int kills = 0;
};

class CrashHarness {
 public:
  explicit CrashHarness(std::uint64_t seed) : random_(static_cast<std::mt19937::result_type>(seed)) {
    std::string list;
    for (int host = 0; host < hosts; ++host) {
      for (int page = 0; page < pages; ++page) list += fmt::format("- [page]({})\n", url_of(host, page));
      internet_.host(fmt::format("h{}.herd", host)).handler([this, host](const ReceivedRequest& request) {
        if (host == 0) return status_page(404);
        if (request.target == "/4") return redirect_page(301, "/3");
        Page page = html_page(page_text(host, request.target, day_));
        // A run takes longer than the maximum delay of writes, so results from before that delay must be stored.
        if (host == 1 && request.target == "/0") page.delay = std::chrono::milliseconds(1500);
        return page;
      });
    }
    folder_.write("list.md", list);
    victims_ = {
        {"check", 10, [this] { return check("store"); }, [this](const ProgramResult& result) { after_check(result); }},
        {"first check", 2,
         [this] {
           fs::remove_all(folder_ / "new");
           return check("new");
         },
         [this](const ProgramResult& result) { after_first_check(result); }},
        {"compact", 2,
         [this] {
           return on_store({"store", "compact", "--keep-runs", "1", "--now", now()});
         },
         [this](const ProgramResult&) { examine_store(); }},
        {"forget", 3, [this] { return forget(); }, [this](const ProgramResult& result) { after_forget(result); }},
        {"backup", 2,
         [this] {
           return on_store({"store", "backup", "copies", "--keep", "2"});
         },
         [this](const ProgramResult&) { examine_store(); }},
        {"restore", 1, [] { return restore(); }, [this](const ProgramResult&) { after_restore(); }},
        {"merge", 2, [this] { return merge(); }, [this](const ProgramResult&) { after_merge(); }}};
    make_stores_to_merge();
    for (Victim& victim : victims_) let_live(victim);
  }

  // Returns false where the process had ended before.
  bool kill_one() {
    std::vector<int> shares;
    for (const Victim& victim : victims_) shares.push_back(victim.share);
    Victim& victim = victims_.at(std::discrete_distribution<std::size_t>(shares.begin(), shares.end())(random_));
    INFO("killed: " << victim.name);
    RunningProgram program = start_linkherd(folder_.path(), victim.begin());
    // A random moment of the command, or shortly after its end.
    const auto max_delay = std::chrono::duration_cast<std::chrono::microseconds>(victim.takes) * 11 / 10;
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, max_delay.count())(random_)));
    program.signal(SIGKILL);
    const ProgramResult result = program.wait();
    const bool hit = result.signal == SIGKILL;
    victim.kills += hit ? 1 : 0;
    victim.examine(result);
    return hit;
  }

  // After the kills every command works and leaves an intact store.
  void let_all_live() {
    for (Victim& victim : victims_) let_live(victim);
  }

  std::string summary() const {
    std::vector<std::string> parts;
    for (const Victim& victim : victims_) parts.push_back(fmt::format("{} {}", victim.kills, victim.name));
    return fmt::format("{} links acknowledged before a kill, {} lost; {} stores reopened, {} torn", acknowledged_count_,
                       lost_, reopened_, torn_) +
           fmt::format("; killed: {}", fmt::join(parts, ", "));
  }

 private:
  void let_live(Victim& victim) {
    INFO("lives: " << victim.name);
    const ProgramResult result = run_linkherd(folder_.path(), victim.begin());
    CAPTURE(result.err);
    CHECK((result.exit_code == 0 || (result.exit_code == 2 && victim.name.ends_with("check"))));
    victim.takes = result.elapsed;
    victim.examine(result);
  }

  // Each run is a day later than the previous one, and each command a minute later.
  std::string now() {
    ++minute_;
    const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) +
                                           std::chrono::days(day_));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:00Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), minute_ / 60 % 24,
                       minute_ % 60);
  }

  static std::vector<std::string> on(std::string_view store, std::vector<std::string> words) {
    words.insert(words.end(), {"--store", std::string(store)});
    return words;
  }
  static std::vector<std::string> on_store(std::vector<std::string> words) { return on("store", std::move(words)); }

  std::vector<std::string> check(std::string_view store) {
    internet_.clear_requests();
    return check_arguments(internet_, on(store, {"--max-cache-age", "0", "--bodies", "changed", "--keep-runs",
                                                 std::to_string(keep_runs), "--now", now(), "-vv", "list.md"}));
  }

  bool has_ended(const std::string& name) const {
    const std::optional<storage::Run> run = Store::open(folder_ / name)->latest_run();
    return run && run->state == storage::RunState::complete;
  }

  void after_check(const ProgramResult& result) {
    // Results that were acknowledged earlier in this run were not requested again.
    for (const auto& [url, health] : acknowledged_) {
      if (internet_.count(url.substr(8, url.find('/', 8) - 8), url.substr(url.find('/', 8))) == 0) continue;
      const bool is_target_of_redirect = url.ends_with("/3");
      CHECK_MESSAGE(is_target_of_redirect, "asked for again: " << url);
    }
    for (const auto& [url, health] : stored_links(result.err)) acknowledged_[url] = health;
    examine_store();
    if (has_ended("store")) {  // the next one is a new run
      acknowledged_.clear();
      ++day_;
      minute_ = 0;
    }
  }

  void after_first_check(const ProgramResult& result) {
    const std::map<std::string, std::string> stored = stored_links(result.err);
    examine("new", stored);
    if (has_ended("new")) return;
    const ProgramResult again = run_linkherd(folder_.path(), check("new"));
    CAPTURE(again.err);
    CHECK(again.exit_code == 2);
    examine("new", stored);
  }

  std::vector<std::string> forget() {
    forgotten_ = url_of(std::uniform_int_distribution<int>(0, hosts - 1)(random_),
                        std::uniform_int_distribution<int>(0, pages - 1)(random_));
    // The pattern forgets a whole host, which takes more than one batch.
    const std::string pattern = "^" + forgotten_.substr(0, forgotten_.rfind('/') + 1);
    std::erase_if(acknowledged_, [&](const auto& link) { return link.first.starts_with(pattern.substr(1)); });
    return on_store({"store", "forget", forgotten_, "--pattern", pattern});
  }

  void after_forget(const ProgramResult& result) {
    examine_store();
    const auto store = Store::open(folder_ / "store");
    const storage::LinkId id = id_of(forgotten_);
    const bool is_stored = storage::LinkHistory(*store).state(id).has_value();
    if (result.exit_code == 0) CHECK_FALSE(is_stored);
    // Either all of it or nothing was removed. A run that has not reached the link since it was forgotten still plans
    // it.
    CHECK(storage::LinkHistory(*store).snapshots(id, 100).empty() == !is_stored);
    for (const storage::Run& run : store->runs()) {
      const std::optional<storage::LinkResult> entry = storage::RunResults(*store, run).find(id);
      if (result.exit_code == 0) CHECK_FALSE(entry.has_value());
      if (!is_stored) CHECK_FALSE((entry && entry->finished));
    }
  }

  static std::vector<std::string> restore() { return on("restored", {"store", "restore", "copies"}); }

  void after_restore() {
    const ProgramResult again = run_linkherd(folder_.path(), restore());
    CAPTURE(again.err);
    CHECK(again.exit_code == 0);
    examine("restored", {});
    fs::remove_all(folder_ / "restored");
  }

  // Two machines have looked at the same links on different days.
  void make_stores_to_merge() {
    for (const char* name : {"one machine", "another"}) {
      CHECK(run_linkherd(folder_.path(), check(name)).exit_code == 2);
      ++day_;
    }
  }

  std::vector<std::string> merge() {
    fs::remove_all(folder_ / "merged");
    fs::copy(folder_ / "one machine", folder_ / "merged",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    return on("merged", {"store", "merge", "another"});
  }

  void after_merge() {
    examine("merged", {});
    const ProgramResult again = run_linkherd(folder_.path(), on("merged", {"store", "merge", "another"}));
    CAPTURE(again.err);
    CHECK(again.exit_code == 0);
    const std::string verified = run_linkherd(folder_.path(), on("merged", {"store", "verify"})).out;
    if (merged_.empty()) merged_ = verified;
    CHECK(verified == merged_);
  }

  void examine_store() { examine("store", acknowledged_); }

  // Opens the store as another command would, randomly for reading or for writing.
  void examine(const std::string& name, const std::map<std::string, std::string>& acknowledged) {
    if (std::bernoulli_distribution()(random_)) Store::open(folder_ / name);  // creates it if it does not exist
    ++reopened_;
    if (!storage::StoreDirectory(folder_ / name).has_database()) {
      CHECK(acknowledged.empty());
      return;
    }
    const ProgramResult verified = run_linkherd(folder_.path(), on(name, {"store", "verify"}));
    CAPTURE(verified.out);
    CAPTURE(verified.err);
    torn_ += verified.exit_code == 0 ? 0U : 1U;
    CHECK(verified.exit_code == 0);
    const auto store = Store::open(folder_ / name);
    for (const std::string& loss : store->losses()) FAIL_CHECK(loss);
    acknowledged_count_ += acknowledged.size();
    if (const std::optional<storage::Run> run = store->latest_run()) {
      for (const auto& [url, health] : acknowledged) examine_link(*store, *run, url, health);
    } else {
      CHECK(acknowledged.empty());
    }
    storage::LinkHistory(*store).for_each_state([&](const storage::LinkState& state) {
      examine_checks(*store, state);
      return true;
    });
  }

  void examine_link(const Store& store, const storage::Run& run, const std::string& url, const std::string& health) {
    CAPTURE(url);
    const std::optional<storage::LinkResult> entry = storage::RunResults(store, run).find(id_of(url));
    const std::optional<storage::LinkState> link = storage::LinkHistory(store).state(id_of(url));
    const bool is_stored = entry && link && entry->finished && !entry->occurrences.empty() &&
                           enum_name(storage::health_names, entry->verdict.health) == health;
    bool is_whole = is_stored && link->snapshot.verdict == entry->verdict && !link->snapshot.attempts.empty();
    if (is_whole && health != "dead") {
      const std::optional<std::string> body = storage::LinkHistory(store).body(link->snapshot.body_digest);
      is_whole = link->snapshot.metadata.title.has_value() && body && body->size() == link->snapshot.body_bytes;
    }
    lost_ += is_whole ? 0U : 1U;
    CHECK(is_stored);
    CHECK(is_whole);
  }

  // A link has one check per run, and every run has its own day.
  static void examine_checks(const Store& store, const storage::LinkState& state) {
    CAPTURE(state.url);
    if (!state.url.ends_with(".herd/0")) return;  // those of some pages are enough
    std::set<std::chrono::sys_days> days;
    for (const storage::Snapshot& look : storage::LinkHistory(store).snapshots(state.id, 100)) {
      CHECK(days.insert(std::chrono::floor<std::chrono::days>(look.fetched_at)).second);
    }
  }

  TempDir folder_;
  SmallInternet internet_;
  std::mt19937 random_;
  std::vector<Victim> victims_;
  std::atomic<int> day_{0};
  int minute_ = 0;                                   // minute of the day at which the command starts
  std::map<std::string, std::string> acknowledged_;  // URLs and healths of the current run
  std::string forgotten_;
  std::string merged_;  // the output of `verify` for a merged store
  std::size_t acknowledged_count_ = 0;
  std::size_t lost_ = 0;
  std::size_t reopened_ = 0;
  std::size_t torn_ = 0;
};

}  // namespace

TEST_CASE("a program that is killed repeatedly loses nothing that it acknowledged") {
  const std::uint64_t kills = setting("LINKHERD_KILLS", 10);
  const std::uint64_t seed = setting("LINKHERD_SEED", std::random_device()());
  CAPTURE(seed);
  CrashHarness harness(seed);
  std::uint64_t hits = 0;
  std::uint64_t late = 0;
  while (hits < kills && late < 10 * kills) ++(harness.kill_one() ? hits : late);
  harness.let_all_live();
  CHECK(hits == kills);
  MESSAGE(fmt::format("seed {}: {} kills of a living process ({} more came too late): {}", seed, hits, late,
                      harness.summary()));
}

}  // namespace linkherd::tests
