// Tests that each change is notified once: which changes exist, what is stored of them, and how they are sent.
#include "reports/notification.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "reports/messages.h"
#include "reports/metrics.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::Health;
using storage::LinkId;
using storage::NotificationState;

namespace {

constexpr std::string_view dead = "http_404";

storage::CheckedLink evaluated(const std::string& url, Health health, std::string_view reason = storage::reason::ok) {
  storage::CheckedLink made = link("a.md", 1, url, verdict(health, reason));
  made.result.id = LinkId::of_text(url);
  return made;
}

// Compares a run with the run of the last notification. `before` is null if there was none.
struct NotificationCase {
  LinksInMemory links;
  EarlierRun earlier;
  Timestamp now = at("2026-03-05T12:00:00Z");
  int certificate_days = 10;
  std::string accepted = {};  // a URL

  NotificationCase() {
    earlier.is_notified = true;
    earlier.run.number = 3;
    earlier.run.finished_at = at("2026-03-04T10:20:00Z");
  }
  void before(const std::string& url, Health health, std::optional<NotificationState> state = {}) {
    earlier.healths.emplace_back(LinkId::of_text(url), health);
    std::ranges::sort(earlier.healths);
    if (state) earlier.notification_states[LinkId::of_text(url)] = *state;
  }
  Report report() const {
    static const Acceptance acceptance{"known", "2026-12-31", ""};
    storage::Run run;
    run.number = 4;
    run.inputs = {"a.md"};
    run.state = storage::RunState::complete;
    run.started_at = at("2026-03-05T11:00:00Z");
    run.finished_at = at("2026-03-05T12:00:00Z");
    Report made = report_on(
        links, {.run = run,
                .duplicates = DuplicateScope::across,
                .find_acceptance =
                    [this](const storage::LinkResult& one) { return one.url == accepted ? &acceptance : nullptr; },
                .now = now,
                .certificate_days = certificate_days,
                .since = &earlier,
                .only_changes = true});
    made.outcome = news_outcome(made.news, made.summary, run.state, made.policy);
    return made;
  }
};

Change change_at(const Report& report, std::size_t number) { return report.sections.by_link[number].change->change; }

std::optional<NotificationState> state_of(const Report& report, const std::string& url) {
  const LinkId id = LinkId::of_text(url);
  const auto found = std::ranges::find(report.notification_states, id, [](const auto& one) { return one.first; });
  return found == report.notification_states.end() ? std::nullopt : std::optional(found->second);
}

boost::json::object json_of(const Report& report) { return boost::json::parse(json_notification(report)).as_object(); }

}  // namespace

TEST_CASE("a link is compared with its notification state across runs that did not judge it") {
  NotificationCase notification;
  notification.before("https://a.cn/1", Health::unreachable, NotificationState{Health::alive, {}, 0});
  notification.before("https://a.cn/2", Health::unreachable, NotificationState{Health::dead, {}, 0});
  notification.before("https://a.cn/3", Health::blocked, NotificationState{Health::dead, {}, 0});
  notification.before("https://a.cn/4", Health::alive);
  notification.before("https://a.cn/5", Health::suspect);
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead), evaluated("https://a.cn/2", Health::alive),
                        evaluated("https://a.cn/3", Health::dead, dead),
                        evaluated("https://a.cn/4", Health::blocked, "http_403"),
                        evaluated("https://a.cn/5", Health::dead, dead)};
  const Report report = notification.report();
  CHECK(change_at(report, 0) == Change::broken);
  CHECK(change_at(report, 1) == Change::recovered);
  CHECK(change_at(report, 2) == Change::still);
  CHECK(change_at(report, 3) == Change::inconclusive);
  CHECK(change_at(report, 4) == Change::broken);  // a suspect link that became dead
  CHECK(state_of(report, "https://a.cn/4") == NotificationState{Health::alive, {}, 0});
  CHECK(report.notification_states.size() == 1);
  CHECK(report.outcome.exit_code == 2);
  CHECK(describe_changes(report.changes) ==
        "since run 3 from 2026-03-04: 2 newly broken, 1 works again, 1 still broken or suspect, reported before");
}

TEST_CASE("every failure is new if nothing was notified before") {
  NotificationCase notification;
  notification.earlier.run = {};
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead), evaluated("https://a.cn/2", Health::alive),
                        evaluated("https://a.cn/3", Health::unreachable, "timeout")};
  const Report report = notification.report();
  CHECK(describe_changes(report.changes) == "first notification: 1 newly broken");
  CHECK(report.notification_states.empty());
  CHECK(json_of(report).at("since").is_null());
}

TEST_CASE("a notified failure does not fail the run and an inconclusive check does") {
  NotificationCase notification;
  notification.before("https://a.cn/1", Health::dead);
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead)};
  CHECK_FALSE(notification.report().changes.should_notify());
  CHECK(notification.report().outcome.exit_code == 0);
  notification.links.push_back(evaluated("https://a.cn/2", Health::deferred, "deadline"));
  CHECK(notification.report().outcome.exit_code == 4);
}

TEST_CASE("an accepted failure is notified when its acceptance ends unless it was notified before") {
  NotificationCase notification;
  notification.accepted = "https://a.cn/1";
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead)};
  const Report silent = notification.report();
  CHECK_FALSE(silent.changes.should_notify());
  const std::optional<NotificationState> kept = state_of(silent, "https://a.cn/1");
  REQUIRE(kept);
  notification.before("https://a.cn/1", Health::dead, kept);
  notification.accepted.clear();
  CHECK(change_at(notification.report(), 0) == Change::broken);

  NotificationCase again;
  again.accepted = "https://a.cn/1";
  again.before("https://a.cn/1", Health::dead);
  again.links = {evaluated("https://a.cn/1", Health::dead, dead)};
  CHECK(again.report().notification_states.empty());
  again.accepted.clear();
  CHECK(change_at(again.report(), 0) == Change::still);
}

TEST_CASE("an expiring certificate is notified once and again if another one expires") {
  NotificationCase notification;
  const std::string url = "https://soon.cn/1";
  const Timestamp end = at("2026-03-07T00:00:00Z");
  notification.before(url, Health::alive);
  notification.links = {evaluated(url, Health::alive)};
  notification.links[0].state.snapshot.certificate = storage::Certificate{"CN = x", "CN = y", end};
  const Report first = notification.report();
  CHECK(first.changes.certificates == 1);
  CHECK(first.certificates.size() == 1);
  CHECK(state_of(first, url) == NotificationState{{}, end, 0});

  notification.earlier.notification_states[LinkId::of_text(url)] = NotificationState{{}, end, 0};
  CHECK_FALSE(notification.report().changes.should_notify());
  CHECK(state_of(notification.report(), url) == NotificationState{{}, end, 0});
  notification.links[0].result.verdict =
      verdict(Health::unreachable, "timeout");  // not checked successfully for a while
  CHECK(state_of(notification.report(), url) == NotificationState{Health::alive, end, 0});
  notification.links[0].result.verdict = verdict(Health::alive, "ok");
  notification.links[0].state.snapshot.certificate->expires = at("2026-03-09T00:00:00Z");
  CHECK(notification.report().changes.certificates == 1);
}

TEST_CASE("a new repetition is notified and a removed one is not") {
  NotificationCase notification;
  const std::string url = "https://a.cn/x";
  const auto list_in = [&notification, &url](const std::vector<unsigned>& lines) {
    notification.links = {evaluated(url, Health::alive)};
    notification.links[0].result.occurrences.clear();
    for (const unsigned line : lines)
      notification.links[0].result.occurrences.push_back(occurrence("a.md", line, 1, url));
  };
  notification.before(url, Health::alive);
  list_in({1, 5});
  const Report first = notification.report();
  REQUIRE(first.changes.duplicates == 1);
  CHECK(json_of(first).at("repeated").as_array().size() == 1);
  CHECK(state_of(first, url) == NotificationState{{}, {}, 2});
  notification.earlier.notification_states[LinkId::of_text(url)] = NotificationState{{}, {}, 2};
  list_in({7, 9});  // in other files now
  CHECK_FALSE(notification.report().changes.should_notify());
  list_in({7, 9, 11});
  CHECK(notification.report().changes.duplicates == 1);
  list_in({7});
  CHECK_FALSE(notification.report().changes.should_notify());
  CHECK(state_of(notification.report(), url) == std::nullopt);
}

TEST_CASE("a JSON notification has stable ids and a bounded size") {
  NotificationCase notification;
  const std::string long_url = "https://a.cn/" + std::string(2'000, 'x');
  for (int i = 0; i < 300; ++i)
    notification.links.push_back(evaluated(long_url + std::to_string(i), Health::dead, dead));
  const std::string text = json_notification(notification.report());
  CHECK(text.size() < 300'000);
  const boost::json::object json = boost::json::parse(text).as_object();
  const boost::json::array& changes = json.at("changes").as_array();
  CHECK(changes.size() + static_cast<std::size_t>(json.at("left_out").as_int64()) == 300);
  CHECK(json.at("counts").at("new") == 300);
  const boost::json::object& change = changes.front().as_object();
  CHECK(change.at("id") == json_of(notification.report()).at("changes").at(0).at("id"));
  CHECK(change.at("id") != changes.at(1).at("id"));
  CHECK(change.at("health") == "dead");
  CHECK(change.at("before").is_null());
  CHECK(change.at("places") == boost::json::parse(R"(["a.md:1:1"])"));
  CHECK(change.at("url").as_string() == long_url + "0");
}

TEST_CASE("a chat notification is short and mentions nobody") {
  NotificationCase notification;
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead)};
  notification.links[0].result.occurrences.front().text = "<!channel> <at user_id=\"all\"></at> & more";
  const std::string slack(boost::json::parse(slack_notification(notification.report())).at("text").as_string());
  CHECK(slack.starts_with(
      "linkherd, a.md: since run 3 from 2026-03-04: 1 newly broken\n• newly broken: a.md:1:1 https://"));
  CHECK(contains(slack, "&lt;!channel&gt;"));
  CHECK(contains(slack, "&amp; more"));
  const boost::json::value feishu = boost::json::parse(feishu_notification(notification.report(), "17", "c2ln"));
  CHECK(feishu.at("msg_type") == "text");
  CHECK(feishu.at("timestamp") == "17");
  CHECK(feishu.at("sign") == "c2ln");
  const std::string text(feishu.at("content").at("text").as_string());
  CHECK_FALSE(contains(text, "<"));
  CHECK_FALSE(boost::json::parse(feishu_notification(notification.report(), "", "")).as_object().contains("sign"));

  for (int i = 0; i < 100; ++i)
    notification.links.push_back(evaluated("https://b.cn/" + std::to_string(i), Health::dead, dead));
  const std::string many(boost::json::parse(slack_notification(notification.report())).at("text").as_string());
  CHECK(std::ranges::count(many, '\n') == 21);
  CHECK(many.ends_with("\n… and 81 more"));
}

TEST_CASE("metrics have the Prometheus text format") {
  NotificationCase notification;
  notification.links = {evaluated("https://a.cn/1", Health::dead, dead), evaluated("https://a.cn/2", Health::alive)};
  Report report = notification.report();
  report.run.inputs = {"a\"b\\c\n.md"};
  std::ostringstream out;
  write_metrics(out, report, true);
  const std::string text = out.str();
  CAPTURE(text);
  CHECK(contains(text, "# TYPE linkherd_links gauge\n"));
  CHECK(contains(text, "\nlinkherd_links{inputs=\"a\\\"b\\\\c\\n.md\",health=\"dead\"} 1\n"));
  CHECK(contains(text, ",change=\"new\"} 1\n"));
  CHECK(contains(text, "\nlinkherd_run_end_timestamp_seconds{inputs=\"a\\\"b\\\\c\\n.md\"} 1772712000\n"));
  CHECK(contains(text, "\nlinkherd_run_duration_seconds{inputs=\"a\\\"b\\\\c\\n.md\"} 3600\n"));
  CHECK(contains(text, "\nlinkherd_told{inputs=\"a\\\"b\\\\c\\n.md\"} 1\n"));
  CHECK(contains(text, "\nlinkherd_exit_code{inputs=\"a\\\"b\\\\c\\n.md\"} 2\n"));
}
