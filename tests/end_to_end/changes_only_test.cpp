// Tests `check --changes-only`: each subscribed program, web service or reader gets each change exactly once, even if
// runs or receivers fail in between.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

std::string morning_of(int day) { return fmt::format("2026-03-{:02}T06:00:00Z", day); }

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A list in a folder, links to separate hosts, and a receiver of webhooks.
struct Cron {
  TempDir folder;
  SmallInternet internet;

  HostScript& page(const std::string& host, Page page) { return internet.host(host).page("/", std::move(page)); }
  std::string receiver() const { return fmt::format("http://127.0.0.1:{}/hook", internet.http_port()); }
  std::vector<std::string> words(const std::string& now, const std::vector<std::string>& more) const {
    return check_arguments(internet, joined({"--store", "store", "--now", now, "--max-cache-age", "0s", "--site-apis",
                                             "off", "--max-retries", "0", "--confirm-wait", "1ms", "list.md"},
                                            more));
  }
  ProgramResult check(const std::string& now, const std::vector<std::string>& more) const {
    return run_linkherd(folder.path(), words(now, more));
  }
  ProgramResult run_day(int day, const std::vector<std::string>& more = {}) const {
    return check(morning_of(day), joined({"--changes-only"}, more));
  }
};

Page alive() { return html_page("<title>A page</title><p>Words of it.</p>"); }

}  // namespace

TEST_CASE("each change is notified once despite other runs and failed notifications") {
  Cron cron;
  cron.folder.write("list.md", "[one](https://one.herd/) [two](https://two.herd/) [three](https://three.herd/)\n");
  for (const char* const host : {"one.herd", "two.herd"}) cron.page(host, alive());
  cron.page("three.herd", status_page(404));

  const ProgramResult first = cron.run_day(1);
  CAPTURE(first.out);
  CHECK(first.exit_code == 2);
  CHECK(holds(first.out, "Changes first notification: 1 newly broken"));
  CHECK(last_line(first.err) == "linkherd: first notification: 1 newly broken");
  const ProgramResult quiet = cron.run_day(2);
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());

  // Runs of other kinds see the change first.
  cron.page("one.herd", status_page(410));
  CHECK(cron.check(morning_of(3), {}).exit_code == 2);
  CHECK(cron.check(morning_of(3), {"--only", "dead"}).exit_code == 2);
  const std::vector<std::string> by_program{"--notify",
                                            "sh -c 'cat > told; echo $LINKHERD_NEW $LINKHERD_STILL >> told'"};
  const std::vector<std::string> by_broken_program{"--notify", "sh -c 'echo no space >&2; exit 7'"};
  const ProgramResult second = cron.run_day(3);
  CAPTURE(second.out);
  CHECK(second.exit_code == 2);
  CHECK(holds(second.out, "Newly broken (1)"));
  CHECK(holds(second.out, "was alive, fails since 2026-03-03"));
  CHECK(holds(second.out, "Still broken (1, reported before)"));
  CHECK_FALSE(holds(second.out, "three.herd"));

  // Another subscriber is notified of all broken links.
  CHECK(cron.run_day(4, by_program).exit_code == 2);
  CHECK(holds(read_file(cron.folder / "told"), "Newly broken (2)"));
  CHECK(read_file(cron.folder / "told").ends_with("\n2 0\n"));
  CHECK(cron.run_day(5).out.empty());

  const std::vector<std::string> metrics{"--metrics", "herd.prom"};
  cron.page("two.herd", status_page(404));
  for (int tries = 0; tries < 2; ++tries) {
    const ProgramResult failed = cron.run_day(6, joined(by_broken_program, metrics));
    CHECK(failed.exit_code == 2);
    CHECK(holds(last_line(failed.err), "3 newly broken; --notify: sh ended with exit code 7: no space"));
    CHECK(holds(read_file(cron.folder / "herd.prom"), "\nlinkherd_told{inputs=\"list.md\"} 0\n"));
  }
  CHECK(cron.run_day(6, joined(by_program, metrics)).exit_code == 2);
  CHECK(read_file(cron.folder / "told").ends_with("\n1 2\n"));
  CHECK(holds(read_file(cron.folder / "herd.prom"), "\nlinkherd_told{inputs=\"list.md\"} 1\n"));

  // Improvements do not fail a run.
  for (const char* const host : {"one.herd", "two.herd", "three.herd"}) cron.page(host, alive());
  const ProgramResult better = cron.run_day(7, joined(by_program, metrics));
  CHECK(better.exit_code == 0);
  CHECK(holds(better.out, "Works again (3)"));
  CHECK(holds(read_file(cron.folder / "herd.prom"), ",change=\"recovered\"} 3\n"));
  std::filesystem::remove(cron.folder / "told");
  CHECK(cron.run_day(8, by_program).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(cron.folder / "told"));
  const int promtool = std::system("command -v promtool >/dev/null");  // NOLINT(concurrency-mt-unsafe): one thread
  if (promtool == 0) {
    const std::string check = "promtool check metrics < " + (cron.folder / "herd.prom").string();
    CHECK(std::system(check.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe)
  } else {
    MESSAGE("skipped: promtool is not installed (Debian: prometheus)");
  }
}

TEST_CASE("unreadable lists and bad options fail the run and lose no change") {
  Cron cron;
  cron.folder.write("list.md", "[gone](missing.md)\n");
  const auto fails = [&cron](const std::vector<std::string>& more, int exit_code, std::string_view part) {
    const ProgramResult result = cron.run_day(1, more);
    CAPTURE(result.err);
    CHECK(result.exit_code == exit_code);
    CHECK(holds(result.err, part));
  };
  fails({"--notify", "sh -c 'x"}, 3, "a quote ' is not closed");
  fails({"--webhook", "file:///x/secret"}, 3, "a webhook must be a URL that begins with https://");
  fails({"--webhook", "https://a.cn/", "--webhook-secret-file", "none"}, 3, "--webhook-secret-file: none: ");
  fails({"--metrics", "no-such-folder/x"}, 1, "cannot write to no-such-folder/x");
  fails({"--metrics", "list.md"}, 3, "list.md is an input of this command");
  fails({"--only", "dead"}, 3, "--changes-only");
  CHECK(cron.check(morning_of(1), {"--notify", "true"}).exit_code == 3);
  fails({"--skip-missing", "absent.md"}, 2, "");
  CHECK_FALSE(std::filesystem::exists(cron.folder / "no-such-folder"));
  fails({"absent.md"}, 1, "absent.md");
  fails({}, 2, "first notification: 1 newly broken");
  fails({}, 0, "");
}

TEST_CASE("a webhook gets the signed changes") {
  Cron cron;
  cron.folder.write("list.md", "[one](https://one.herd/)\n");
  cron.folder.write("secret", "Jefe\n");
  cron.page("one.herd", status_page(404));
  cron.internet.host("127.0.0.1").page("/hook", status_page(200));
  cron.internet.host("127.0.0.1").page("/hook?feishu", html_page(R"({"code":19021,"msg":"sign match fail"})"));
  const std::vector<std::string> signed_webhook{"--webhook", cron.receiver(), "--webhook-secret-file", "secret"};
  CHECK(cron.run_day(1, signed_webhook).exit_code == 2);
  CHECK(cron.run_day(2, signed_webhook).exit_code == 0);
  const std::vector<ReceivedRequest> seen = cron.internet.requests("127.0.0.1");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].header("X-Hub-Signature-256").starts_with("sha256="));
  CHECK(seen[0].header("X-Hub-Signature-256").size() == 71);
  const boost::json::value body = boost::json::parse(seen[0].body);
  CHECK(body.at("id").as_string() == seen[0].header("X-Linkherd-Delivery"));
  CHECK(body.at("changes").at(0).at("url") == "https://one.herd/");
  CHECK(body.at("changes").at(0).at("change") == "new");
  const ProgramResult refused =
      cron.run_day(3, {"--webhook", cron.receiver() + "?feishu", "--webhook-format", "feishu"});
  CHECK(holds(last_line(refused.err), "refuses: code 19021"));
}

namespace {

enum class State { alive, dead, unreachable, blocked, moved };

// Links that change from day to day, and the state of each link according to the webhook messages.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {
    std::string list;
    for (std::size_t i = 0; i < links; ++i) list += fmt::format("[{}]({})\n", i, url(i));
    cron_.folder.write("list.md", list);
    cron_.internet.host("127.0.0.1").handler([this](const ReceivedRequest& /*request*/) {
      Page page = status_page(is_receiver_down_ ? 500 : 200);
      page.delay = receiver_delay_;
      return page;
    });
  }

  void live(int days) {
    for (int day = 1; day <= days; ++day) {
      plan_day();
      const unsigned fate = day == days ? 9 : below(10);
      is_receiver_down_ = fate == 0;
      if (fate == 1) cron_.check(fmt::format("2026-03-{:02}T03:00:00Z", day), {});  // ad hoc
      if (fate == 2 || fate == 3) kill_while_notifying(day);
      if (fate == 4 || fate == 5) kill_while_checking(day);
      const bool is_left_out = fate == 5;  // the killed run continues the next day
      if (is_left_out) {
        may_be_of_yesterday_ = true;
        continue;
      }
      const int exit_code = run_day(day).exit_code;
      CHECK((exit_code == 0 || exit_code == 2 || (exit_code == 1 && is_receiver_down_)));
      hear();
      if (!is_receiver_down_ && !std::exchange(may_be_of_yesterday_, false)) compare(day);
      if (is_receiver_down_) CHECK(heard_now_ == 0);
    }
    is_receiver_down_ = false;
    run_day(days + 1);
    hear();
    compare(days + 1);
    run_day(days + 1);
    hear();
    CHECK(heard_now_ == 0);
    CHECK(notified_ > 0);
  }

 private:
  static constexpr std::size_t links = 12;

  static std::string url(std::size_t link) { return fmt::format("https://link{}.herd/", link); }
  unsigned below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_); }

  void plan_day() {
    for (std::size_t i = 0; i < links; ++i) {
      if (below(3) > 0 && has_begun_) continue;
      states_[i] = static_cast<State>(below(5));
      moves_[i] += states_[i] == State::moved ? 1 : 0;
      HostScript& host = cron_.internet.host(fmt::format("link{}.herd", i));
      switch (states_[i]) {
        case State::alive: host.page("/", alive()); break;
        case State::dead: host.page("/", status_page(404)); break;
        case State::unreachable: host.page("/", status_page(500)); break;
        case State::blocked: host.page("/", status_page(401)); break;
        case State::moved:
          host.page("/", redirect_page(301, fmt::format("/new{}", moves_[i])));
          host.page(fmt::format("/new{}", moves_[i]), alive());
          break;
      }
    }
    has_begun_ = true;
  }

  std::vector<std::string> options() const {
    return {"--changes-only", "--webhook", cron_.receiver(), "--strikes", "100"};
  }
  ProgramResult run_day(int day) {
    cron_.internet.clear_requests();
    return cron_.check(morning_of(day), options());
  }

  void kill_while_checking(int day) {
    cron_.internet.clear_requests();
    RunningProgram program = start_linkherd(cron_.folder.path(), cron_.words(morning_of(day), options()));
    cron_.internet.wait_for_requests(1 + below(links), std::chrono::seconds(20));
    program.signal(SIGKILL);
    program.wait();
    hear();
  }

  // The message was delivered, but the program is killed before it can record that.
  void kill_while_notifying(int day) {
    cron_.internet.clear_requests();
    receiver_delay_ = std::chrono::seconds(20);
    RunningProgram program = start_linkherd(cron_.folder.path(), cron_.words(morning_of(day), options()));
    while (program.running() && cron_.internet.count("127.0.0.1", "/hook") == 0)
      cron_.internet.wait_for_requests(cron_.internet.requests().size() + 1, std::chrono::milliseconds(20));
    program.signal(SIGKILL);
    program.wait();
    receiver_delay_ = std::chrono::seconds(0);
    hear();
  }

  // Reads the messages to the receiver, ignores repeated ids, and compares each change with the previous state.
  void hear() {
    heard_now_ = 0;
    if (is_receiver_down_) return;
    for (const ReceivedRequest& request : cron_.internet.requests("127.0.0.1")) {
      const boost::json::value body = boost::json::parse(request.body);
      for (const boost::json::value& change : body.at("changes").as_array()) {
        ++heard_now_;
        if (!ids_.insert(std::string(change.at("id").as_string())).second) continue;
        ++notified_;
        const std::string link(change.at("url").as_string());
        const std::string what(change.at("change").as_string());
        CAPTURE(link);
        CAPTURE(what);
        if (what == "new") CHECK(broken_.insert(link).second);
        if (what == "recovered") CHECK(broken_.erase(link) == 1);
        if (what == "moved") CHECK_FALSE(broken_.contains(link));
        const std::string target =
            change.at("final_url").is_string() ? std::string(change.at("final_url").as_string()) : "";
        if (what == "moved") CHECK(std::exchange(targets_[link], target) != target);
      }
    }
    cron_.internet.clear_requests();
  }

  // A checked link has its new state. The other links keep their previous state.
  void compare(int day) {
    CAPTURE(day);
    for (std::size_t i = 0; i < links; ++i) {
      CAPTURE(url(i));
      if (states_[i] == State::dead) CHECK(broken_.contains(url(i)));
      if (states_[i] == State::alive || states_[i] == State::moved) CHECK_FALSE(broken_.contains(url(i)));
    }
  }

  Cron cron_;
  std::mt19937 random_;
  bool has_begun_ = false;
  bool is_receiver_down_ = false;
  bool may_be_of_yesterday_ = false;
  std::chrono::milliseconds receiver_delay_{0};
  std::array<State, links> states_{};
  std::array<int, links> moves_{};
  std::set<std::string> ids_;
  std::set<std::string> broken_;
  std::map<std::string, std::string> targets_;
  std::size_t heard_now_ = 0;
  std::size_t notified_ = 0;
};

}  // namespace

// LINKHERD_DAYS sets the number of days: a few by default, a month under the label `long`.
TEST_CASE("days of changes and failures and kills notify each change once") {
  const char* const days = std::getenv("LINKHERD_DAYS");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  const int count = days == nullptr ? 6 : std::clamp(std::atoi(days), 1, 30);
  Simulation(20260301).live(count);
}
