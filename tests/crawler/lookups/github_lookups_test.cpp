#include "crawler/lookups/github_lookups.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/fetch/http/fetch_request.h"
#include "storage/link_id.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp lookup_time = parse_timestamp("2026-11-01T00:00:00Z").value();

struct AskedApi {
  GithubLookups lookups{{parser::Url::parse("https://api.github.com/graphql").value(), "t0ken-of-a-job"},
                        std::chrono::seconds(60)};

  explicit AskedApi(int links = 250) {
    for (int i = 0; i < links; ++i) CHECK(add(fmt::format("https://github.com/owner/r{}", i)));
  }
  bool add(const std::string& href) {
    FetchRequest request(storage::LinkId::of(parser::Url::parse(href).value()), href);
    return lookups.add(request);
  }
  // Returns the number of links in the next request.
  std::size_t next(bool is_end = true) {
    const auto request = lookups.next_request(is_end);
    if (!request) return 0;
    const std::string& body = request->request.validators()->body;
    std::size_t links = 0;
    for (std::size_t at = 0; (at = body.find(":repository(", at)) != std::string::npos; ++at) ++links;
    return links;
  }
  GithubLookups::Outcome answer(int status, const std::string& body,
                                std::vector<storage::ResponseHeader> headers = {}) {
    storage::Snapshot snapshot;
    snapshot.status = status;
    snapshot.fetched_at = lookup_time;
    snapshot.headers = std::move(headers);
    return lookups.handle_response(snapshot, body);
  }
};

}  // namespace

TEST_CASE("GitHub links are looked up a hundred at a time and the rest at the end") {
  AskedApi asked;
  CHECK(asked.next(false) == 100);
  CHECK(asked.next() == 0);  // one at a time
  const auto outcome = asked.answer(
      200,
      R"({"data":{"l0":{"nameWithOwner":"newer/r0","isPrivate":false,"isDisabled":false,"description":"t0ken-of-a-job"}}})");
  REQUIRE(outcome.known.size() == 1);
  CHECK(outcome.unknown.size() == 99);
  const storage::Snapshot& page = outcome.known.front().snapshot;
  CHECK(page.verdict.health == storage::Health::redirected);
  CHECK(page.verdict.reason == storage::reason::moved_permanently);
  CHECK(page.verdict.rule == "site_api:github_api");
  CHECK(page.verdict.evidence ==
        "https://api.github.com/graphql says that it has moved to https://github.com/newer/r0.");
  CHECK(page.final_url == "https://github.com/newer/r0");
  REQUIRE(page.facts.size() == 1);
  CHECK(page.facts.front().text == "the repository owner/r0 is now newer/r0");
  CHECK(page.metadata.description->value == "***");
  CHECK(asked.next(false) == 100);
  asked.answer(200, R"({"data":{}})");
  CHECK(asked.next(false) == 0);
  CHECK(asked.next() == 50);
}

TEST_CASE("a GitHub query that is too large is halved but not endlessly") {
  AskedApi asked;
  for (const std::size_t links : {100U, 50U, 25U}) {
    CHECK(asked.next() == links);
    CHECK(asked.answer(502, "").unknown.empty());
  }
  CHECK(asked.next() == 12);
  CHECK(asked.answer(200, R"({"data":{}})").unknown.size() == 12);  // so failures are not accumulated
  CHECK(asked.next() == 12);
  asked.answer(0, "");
  CHECK(asked.next() == 6);
  CHECK(asked.answer(0, "").unknown.size() == 238);
  CHECK(asked.next() == 0);
  CHECK_FALSE(asked.add("https://github.com/a/b"));
}

TEST_CASE("rate limits of the GitHub API are obeyed") {
  AskedApi limited;
  CHECK(limited.next() == 100);
  CHECK(limited.answer(403, "", {{"retry-after", "30"}}).unknown.empty());
  const auto again = limited.lookups.next_request(true);
  REQUIRE(again);
  CHECK(again->not_before == lookup_time + std::chrono::seconds(30));
  CHECK(limited.answer(429, "", {{"retry-after", "3600"}}).unknown.size() == 250);

  AskedApi refused;
  CHECK(refused.next() == 100);
  CHECK(refused.answer(401, "{}").unknown.size() == 250);
  AskedApi used_up;
  CHECK(used_up.next() == 100);
  CHECK(used_up.answer(200, R"({"errors":[{"type":"RATE_LIMITED"}]})").unknown.size() == 250);
  AskedApi last;
  CHECK(last.next() == 100);
  const auto outcome = last.answer(200, R"({"data":{"rateLimit":{"remaining":0}}})");
  CHECK(outcome.unknown.size() == 250);
  CHECK(last.next() == 0);
}
