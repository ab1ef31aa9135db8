#include "reports/messages.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "declared_reasons.h"
#include "report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::Health;

TEST_CASE("every reason has a text") {
  const std::set<std::string> words = declared_reasons();
  REQUIRE(words.size() >= 40);
  REQUIRE(words.count("tls_expired") == 1);
  for (const std::string& word : words) {
    CAPTURE(word);
    const std::string message = describe_reason(verdict(Health::dead, word));
    CHECK(message != word);
    CHECK(message.find('_') == std::string::npos);
    CHECK_FALSE(message.ends_with('.'));
  }
}

TEST_CASE("status codes have a text") {
  struct Row {
    const char* reason;
    const char* words;
  };
  const std::vector<Row> rows = {{"http_404", "404 Not Found"},
                                 {"http_410", "410 Gone"},
                                 {"http_503", "503 Service Unavailable"},
                                 {"http_999", "999 Request Denied"},
                                 {"http_418", "418 I'm a Teapot"},
                                 {"http_599", "HTTP status 599"},
                                 {"http_", "http_"},
                                 {"http_4x4", "http_4x4"},
                                 {"from_the_future", "from_the_future"}};
  for (const Row& row : rows) CHECK(describe_reason(verdict(Health::dead, row.reason)) == row.words);
}

TEST_CASE("a verdict from the content is described with its doubt") {
  CHECK(describe_reason(verdict(Health::dead, "parked", 0.95)) == "the domain is parked or for sale");
  CHECK(describe_reason(verdict(Health::suspect, "parked", 0.7)) == "probably the domain is parked or for sale");
  CHECK(describe_reason(verdict(Health::suspect, "doubtful_404", 0.7)) == "probably gone (status 404)");
  CHECK(describe_reason(verdict(Health::suspect, "vantage", 0.7)) == "dead from one location, alive from another");
}

TEST_CASE("advice says what to do and is empty if nothing is to be done") {
  struct Row {
    Health health;
    const char* reason;
    const char* advice;
  };
  const std::vector<Row> rows = {
      {Health::alive, "ok", ""},
      {Health::redirected, "moved_permanently", "update to the new address"},
      {Health::redirected, "moved_temporarily", ""},
      {Health::dead, "http_404", "find the new address or remove the link"},
      {Health::dead, "http_410", "find the new address or remove the link"},
      {Health::dead, "dns_not_found", "the host name no longer exists: replace or remove the link"},
      {Health::dead, "timeout", "find the new address or remove the link"},
      {Health::dead, "invalid_url", "correct the address or remove the link"},
      {Health::insecure, "tls_expired", "tell the owner of the site; the page exists without a valid certificate"},
      {Health::blocked, "http_403", "open it in a browser to make sure"},
      {Health::blocked, "captcha", "open it in a browser to make sure"},
      {Health::blocked, "rate_limited", "check it again later"},
      {Health::unreachable, "timeout", ""},
      {Health::unreachable, "http_503", ""},
      {Health::skipped, "placeholder", ""},
      {Health::deferred, "interrupted", "run the same command again"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    storage::LinkResult result;
    result.verdict = verdict(row.health, row.reason);
    CHECK(advice(result) == row.advice);
  }
}

TEST_CASE("a redirect from a page to the front page is no simple move") {
  const auto of = [](const char* from, const char* to) {
    return advice(LinksInMemory{redirected("a.md", 1, from, to)}.at(0).result);
  };
  CHECK(of("https://a.example/post/1", "https://a.example/") ==
        "leads only to the front page: check whether the page still exists");
  CHECK(of("http://a.example/", "https://a.example/") == "update to the new address");
  CHECK(of("http://a.example/post", "https://a.example/post") == "update to the new address");
  CHECK(of("http://a.example/post", "https://a.example/?p=1") == "update to the new address");
}

TEST_CASE("every duplicate layer has a text and doubt is visible") {
  std::set<std::string> words;
  for (const auto& [layer, name] : duplicate_layer_names) words.insert(describe_layer(layer, true));
  CHECK(words.size() == duplicate_layer_names.size());
  CHECK(describe_layer(DuplicateLayer::address, true) == "same address");
  CHECK(describe_layer(DuplicateLayer::equivalent, false) == "equivalent address, possibly");
}

TEST_CASE("a new address is described with its level and its source") {
  storage::Relocation relocation{.url = "https://docs.good.herd/guide",
                                 .level = storage::RelocationLevel::probably,
                                 .source = storage::RelocationSource::sitemap,
                                 .similarity = 0.97,
                                 .evidence = "same title, about 97 % of the text",
                                 .searched_at = {}};
  CHECK(describe_relocation(relocation) ==
        "probably moved to docs.good.herd/guide: same title, about 97 % of the text; found in the site's sitemap");
  relocation.level = storage::RelocationLevel::sure;
  relocation.url = "http://docs.good.herd/%E6%95%99";
  CHECK(describe_relocation(relocation).starts_with("moved to docs.good.herd/教: same title"));
  relocation.evidence.clear();
  CHECK(describe_evidence(relocation) == "found in the site's sitemap");
  relocation.evidence = std::string(100'000, 'x');
  CHECK(describe_evidence(relocation).size() < 400);
  std::set<std::string> texts;
  for (const auto& [level, name] : storage::relocation_level_names) texts.emplace(describe_level(level));
  for (const auto& [source, name] : storage::relocation_source_names) {
    relocation.evidence.clear();
    relocation.source = source;
    texts.insert(describe_evidence(relocation));
  }
  CHECK(texts.size() == storage::relocation_level_names.size() + storage::relocation_source_names.size());
}

TEST_CASE("a new address is suggested only for a dead link") {
  storage::CheckedLink made = relocated("a.md", 1, "https://a.example/", "https://b.example/");
  REQUIRE(suggested_relocation(made) != nullptr);
  CHECK(suggested_relocation(made)->url == "https://b.example/");
  made.state.relocation->url.clear();  // the search found none
  CHECK(suggested_relocation(made) == nullptr);
  made.state.relocation->url = "https://b.example/";
  made.result.verdict.health = storage::Health::alive;
  CHECK(suggested_relocation(made) == nullptr);
  made.result.verdict.health = storage::Health::dead;
  made.state.relocation.reset();
  CHECK(suggested_relocation(made) == nullptr);
}

TEST_CASE("a pace is described with its links and its total time") {
  using namespace std::chrono_literals;
  CHECK(describe_pace({"zhuanlan.zhihu.com", 139, 200ms}) == "zhuanlan.zhihu.com, 28 s: 139 links at 5 per second");
  CHECK(describe_pace({"github.com", 4812, 100ms}) == "github.com, 8m2s: 4812 links at 10 per second");
  CHECK(describe_pace({"slow.cn", 30, 10s, true}) == "slow.cn, 5m: 30 links at one per 10 s, as its robots.txt asks");
  storage::PaceBound paused{.host = "good.herd", .links = 3, .interval = 100ms};
  paused.pauses = storage::HostPauses{.waited = 40s, .status = 429};
  CHECK(describe_pace(paused) == "good.herd, 40 s: 429, asked to wait");
  paused.pauses->is_host_time = false;
  paused.links = 50;
  CHECK(describe_pace(paused) == "good.herd, 45 s: 429, paused 40 s; 50 links at 10 per second");
}

TEST_CASE("sizes and inputs are described briefly") {
  CHECK(format_size(0) == "0 bytes");
  CHECK(format_size(1) == "1 byte");
  CHECK(format_size(1023) == "1023 bytes");
  CHECK(format_size(1536) == "1.5 KiB");
  CHECK(format_size(std::uint64_t{3} << 30) == "3.0 GiB");
  CHECK(format_size(UINT64_MAX) == "16777216.0 TiB");
  CHECK(describe_inputs({}) == "inputs listed in a file");
  CHECK(describe_inputs({"."}) == "this folder");
  CHECK(describe_inputs({"a.md", "b.md", "c", "d"}) == "a.md, b.md, c, d");
  CHECK(describe_inputs({"a.md", "b.md", "c", "d", "e"}) == "a.md, b.md, c and 2 more");
}
