#include "crawler/run/unfetched_links.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

std::optional<parser::Url> url_or_none(const std::string& text) {
  const auto url = parser::Url::parse(text);
  return url ? std::optional<parser::Url>(*url) : std::nullopt;
}

}  // namespace

TEST_CASE("only links to the web are fetched and the others have a verdict at once") {
  using parser::LinkNote;
  struct Row {
    std::string url;
    std::vector<LinkNote> notes = {};
    std::string reason = {};  // empty: the link is fetched
    bool is_offline = false;
    bool includes_mail = false;
  };
  const std::vector<Row> rows{
      {.url = "https://a.cn/"},
      {.url = "https://a.cn/", .reason = "offline", .is_offline = true},
      {.url = "https://example.org/", .notes = {LinkNote::placeholder}, .reason = "placeholder"},
      {.url = "", .notes = {LinkNote::empty_target}, .reason = "empty_target"},
      {.url = "mailto:ada@a.cn", .reason = "unsupported_scheme"},
      {.url = "mailto:ada@a.cn", .reason = "ok", .includes_mail = true},
      {.url = "mailto:ada", .reason = "invalid_mail_address", .includes_mail = true},
      {.url = "ftp://a.cn/", .reason = "unsupported_scheme"},
      {.url = "../x.md", .notes = {LinkNote::relative}, .reason = "relative_link"},
      {.url = "http::StatusCode", .reason = "unsupported_scheme"},
      {.url = "http://a b/", .reason = "invalid_url"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.reason);
    parser::LinkOccurrence occurrence;
    occurrence.url = row.url;
    occurrence.notes = row.notes;
    const bool is_path_of_code = row.url == "http::StatusCode";
    const auto url = is_path_of_code ? std::nullopt : url_or_none(row.url);
    const auto verdict = verdict_without_request(occurrence, url, row.is_offline, row.includes_mail);
    CHECK((verdict ? verdict->reason : std::string()) == row.reason);
  }
}

TEST_CASE("a link that its document or a pattern excludes is skipped") {
  parser::LinkOccurrence occurrence;
  occurrence.url = occurrence.href = "https://a.cn/private";
  CHECK_FALSE(verdict_if_excluded(occurrence, nullptr));
  LinkFilterOptions options;
  options.exclude.push_back({"--exclude", "/private"});
  const LinkFilter filter = LinkFilter::make(options).value();
  const auto excluded = verdict_if_excluded(occurrence, &filter);
  REQUIRE(excluded);
  CHECK(excluded->health == storage::Health::skipped);
  CHECK(excluded->reason == storage::reason::excluded);
  occurrence.ignored_by = "lychee-ignore";
  const auto ignored = verdict_if_excluded(occurrence, &filter);
  REQUIRE(ignored);
  CHECK(ignored->reason == storage::reason::ignored);
  CHECK(ignored->evidence == "the document says lychee-ignore");
}
