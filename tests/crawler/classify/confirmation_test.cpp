#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/classify/classify.h"
#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;
using storage::Verdict;
using namespace std::chrono_literals;

namespace {

Verdict look(int status) { return classify(build({.status = status}), {}); }
Verdict look(FailureKind failure) { return classify(build({.failure = failure}), {}); }

}  // namespace

TEST_CASE("every dead verdict needs a confirmation and nothing else does") {
  for (int status = 100; status < 1000; ++status) {
    CAPTURE(status);
    const Health health = look(status).health;
    CHECK(needs_confirmation(look(status)) == (health == Health::dead || health == Health::suspect));
  }
  for (const auto& [failure, bound_name] : failure_names) {
    const std::string_view name = bound_name;
    if (failure == FailureKind::none) continue;
    CAPTURE(name);
    CHECK(needs_confirmation(look(failure)) == (look(failure).health == Health::dead));
  }
  const Verdict suspect = classify(build({.status = 200}), small_page("404 Not Found"));
  CHECK(health_name(suspect) == "suspect");
  CHECK(needs_confirmation(suspect));
  Verdict struck_out = look(FailureKind::timeout);
  struck_out.health = Health::dead;
  struck_out.rule = "strikes";
  CHECK_FALSE(needs_confirmation(struck_out));
}

TEST_CASE("a first check and its confirmation give one verdict") {
  struct Row {
    const char* what;
    Verdict first, second;
    Health health;
    std::string_view reason;
    std::string_view evidence;
  };
  const std::vector<Row> rows{
      {"the same twice", look(404), look(404), Health::dead, "http_404",
       "HTTP 404: no such page, confirmed by a second check after 10s."},
      {"another death", look(404), look(410), Health::dead, "http_410",
       "HTTP 410: the page is gone for good; the first check, 10s earlier: HTTP 404: no such page."},
      {"alive after all", look(404), look(200), Health::alive, "ok",
       "HTTP 200; the first check, 10s earlier: HTTP 404: no such page."},
      {"refused the second time", look(404), look(403), Health::blocked, "http_403",
       "HTTP 403: the server refused the request; the first check, 10s earlier: HTTP 404: no such page."},
      {"silent the second time", look(FailureKind::dns_not_found), look(FailureKind::timeout), Health::unreachable,
       "timeout", "No answer in time; the first check, 10s earlier: No such host."},
      {"stopped before the second", look(404), look(FailureKind::interrupted), Health::deferred, "unconfirmed",
       "Dead in the first check (HTTP 404: no such page), but the second check did not take place: The run was "
       "interrupted before this check."},
      {"an outage before the second", look(FailureKind::dns_not_found), look(FailureKind::outage), Health::deferred,
       "unconfirmed",
       "Dead in the first check (No such host), but the second check did not take place: Your network failed."},
      {"never dead", look(200), look(404), Health::dead, "http_404", "HTTP 404: no such page."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Verdict verdict = confirmed(row.first, row.second, 10'004ms);
    CHECK(health_name(verdict) == enum_name(storage::health_names, row.health));
    CHECK(verdict.reason == row.reason);
    CHECK(verdict.evidence == row.evidence);
  }
  CHECK(confirmed(look(404), look(404), 250'400us).evidence.ends_with("after 250ms."));
  CHECK(confirmed(look(404), look(404), -5s).evidence.ends_with("after 0s."));
}

TEST_CASE("two agreeing checks are as confident as the more confident one") {
  Verdict unsure = classify(build({.status = 200}), small_page("404 Not Found"));
  Verdict sure = unsure;
  sure.confidence = 0.87;
  CHECK(confirmed(unsure, sure, 10s).confidence == 0.87);
  CHECK(confirmed(sure, unsure, 10s).confidence == 0.87);
}

TEST_CASE("a link that is dead only in the first check is suspect") {
  const Verdict suspect = classify(build({.status = 200}), small_page("404 Not Found"));
  Verdict dead = suspect;
  dead.health = Health::dead;
  dead.confidence = 0.97;
  const Verdict both = confirmed(dead, suspect, 10s);
  CHECK(health_name(both) == "suspect");
  CHECK(both.confidence < storage::sure_of_death);
  CHECK(confirmed(suspect, look(200), 10s).reason == "ok");
}
