#include "crawler/run/follow_ups.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

const Timestamp answer_time = parse_timestamp("2026-03-05T10:00:00Z").value();

// A site API that is requested for the whole topic, regardless of the linked post.
const SiteApiSet& forum() {
  static const SiteApiSet set = SiteApiSet::read(R"(
[[site_api]]
name = "forum"
site = "forum.herd"
pattern = '/topic/(\d+)'
url = "https://api.forum.herd/{1}"
there = { status = 200, "/id" = "{1}" }
gone = { status = 404, "/error" = "gone" }
title = "/subject"
pause = "/backoff"
)")
                                    .value();
  return set;
}

AnalyzedPage page_of(const FetchRequest& request, int status, Health health, std::string body = {}) {
  AnalyzedPage page{{.body = std::move(body)},
                    FetchRequest(request.id(), request.href(), std::nullopt, request.is_confirmation()),
                    parser::Url::parse(request.href()).value()};
  page.snapshot.fetched_at = answer_time;
  page.snapshot.status = status;
  page.snapshot.final_url = request.href();
  page.snapshot.verdict.health = health;
  return page;
}

FetchRequest request_for(const std::string& url, bool is_confirmation = false) {
  const parser::Url parsed = parser::Url::parse(url).value();
  return {storage::LinkId::of(parsed), parsed.href(), std::nullopt, is_confirmation};
}

AnalyzedPage refused(const std::string& url, bool is_confirmation = false) {
  return page_of(request_for(url, is_confirmation), 403, Health::blocked);
}

AnalyzedPage missing(const std::string& url, bool is_confirmation) {
  return page_of(request_for(url, is_confirmation), 404, Health::dead);
}

AnalyzedPage answer_to(const FetchRequest& request, int status, std::string body = {}, Health health = Health::alive) {
  AnalyzedPage page = page_of(request, status, health, std::move(body));
  page.request = FetchRequest::follow_up(request.purpose(), page.url, {}, request.is_confirmation());
  return page;
}

std::string topic(int number, const std::string& more = {}) {
  return fmt::format(R"({{"id":{},"subject":"Topic {}"{}}})", number, number, more);
}

}  // namespace

TEST_CASE("a site API is requested after a short pause and not at all after a long one") {
  for (const auto& [seconds, is_asked] : std::vector<std::pair<int, bool>>{{10, true}, {600, false}}) {
    CAPTURE(seconds);
    FollowUps follow_ups(&forum());
    AnalyzedPage first = refused("https://forum.herd/topic/1");
    REQUIRE(follow_ups.hold(first, true, answer_time));
    const auto asked = follow_ups.take_request();
    REQUIRE(asked.has_value());
    CHECK_FALSE(asked->not_before.has_value());
    const auto finished =
        follow_ups.release(answer_to(asked->request, 200, topic(1, fmt::format(",\"backoff\":{}", seconds))),
                           answer_time + std::chrono::seconds(2));
    REQUIRE(finished.size() == 1);
    CHECK(finished.front().snapshot.verdict.health == Health::alive);

    AnalyzedPage second = refused("https://forum.herd/topic/2");
    CHECK(follow_ups.hold(second, true, answer_time) == is_asked);
    const auto later = follow_ups.take_request();
    REQUIRE(later.has_value() == is_asked);
    if (is_asked) CHECK(later->not_before == answer_time + std::chrono::seconds(12));
  }
}

TEST_CASE("links with the same site API URL share one request") {
  FollowUps follow_ups(&forum());
  AnalyzedPage first = refused("https://forum.herd/topic/1?page=1");
  AnalyzedPage second = refused("https://forum.herd/topic/1?page=2");
  REQUIRE(follow_ups.hold(first, true, answer_time));
  const auto asked = follow_ups.take_request();
  REQUIRE(asked.has_value());
  REQUIRE(follow_ups.hold(second, true, answer_time));
  CHECK_FALSE(follow_ups.take_request().has_value());
  CHECK(follow_ups.release(answer_to(asked->request, 200, topic(1)), answer_time).size() == 2);

  AnalyzedPage third = refused("https://forum.herd/topic/1?page=3");
  CHECK_FALSE(follow_ups.hold(third, true, answer_time));
  CHECK_FALSE(follow_ups.take_request().has_value());
  CHECK(third.snapshot.verdict.health == Health::alive);
  CHECK(third.snapshot.verdict.rule == "site_api:forum");
  REQUIRE(third.snapshot.metadata.title.has_value());
  CHECK(third.snapshot.metadata.title->value == "Topic 1");
}

TEST_CASE("an inconclusive site API answer is shared by other links too") {
  FollowUps follow_ups(&forum());
  AnalyzedPage first = refused("https://forum.herd/topic/1?page=1");
  REQUIRE(follow_ups.hold(first, true, answer_time));
  const auto asked = follow_ups.take_request();
  REQUIRE(asked.has_value());
  CHECK(follow_ups.release(answer_to(asked->request, 429), answer_time).size() == 1);
  AnalyzedPage second = refused("https://forum.herd/topic/1?page=2");
  CHECK_FALSE(follow_ups.hold(second, true, answer_time));
  CHECK(second.snapshot.verdict.health == Health::blocked);
}

TEST_CASE("a confirmation repeats the site API request once for all links") {
  FollowUps follow_ups(&forum());
  const std::string gone = R"({"error":"gone"})";
  AnalyzedPage first = refused("https://forum.herd/topic/1?page=1");
  REQUIRE(follow_ups.hold(first, true, answer_time));
  const auto asked = follow_ups.take_request();
  REQUIRE(asked.has_value());
  follow_ups.release(answer_to(asked->request, 404, gone), answer_time);
  AnalyzedPage again = refused("https://forum.herd/topic/1?page=1", true);
  REQUIRE(follow_ups.hold(again, true, answer_time));
  const auto anew = follow_ups.take_request();
  REQUIRE(anew.has_value());
  CHECK(anew->request.is_confirmation());
  follow_ups.release(answer_to(anew->request, 404, gone), answer_time);
  AnalyzedPage other = refused("https://forum.herd/topic/1?page=2", true);
  CHECK_FALSE(follow_ups.hold(other, true, answer_time));
  CHECK(other.snapshot.verdict.health == Health::dead);
}

TEST_CASE("the cache of site API answers is bounded") {
  FollowUps follow_ups(&forum());
  const std::string long_text = fmt::format(",\"text\":\"{}\"", std::string(std::size_t{1} << 20, 'x'));
  constexpr int answers = 20;
  for (int i = 0; i < answers; ++i) {
    AnalyzedPage page = refused(fmt::format("https://forum.herd/topic/{}", i));
    REQUIRE(follow_ups.hold(page, true, answer_time));
    const auto asked = follow_ups.take_request();
    REQUIRE(asked.has_value());
    REQUIRE(follow_ups.release(answer_to(asked->request, 200, topic(i, long_text)), answer_time).size() == 1);
  }
  AnalyzedPage late = refused(fmt::format("https://forum.herd/topic/{}?a", answers - 1));
  CHECK_FALSE(follow_ups.hold(late, true, answer_time));
  AnalyzedPage early = refused("https://forum.herd/topic/0?a");
  CHECK(follow_ups.hold(early, true, answer_time));
}

TEST_CASE("a missing file is looked up on the other branch once during confirmation") {
  const std::string link = "https://github.com/a/b/blob/master/x.md";
  const std::string other = "https://github.com/a/b/blob/main/x.md";
  for (const auto& [status, health, final_url, exists] : std::vector<std::tuple<int, Health, std::string, bool>>{
           {200, Health::alive, other, true},
           {200, Health::redirected, "https://github.com/c/b/blob/main/x.md", true},
           {404, Health::dead, other, false},
           {200, Health::redirected, "https://github.com/login", false},
           {0, Health::unreachable, other, false}}) {
    CAPTURE(status);
    CAPTURE(final_url);
    FollowUps follow_ups(nullptr);
    AnalyzedPage first = missing(link, false);
    CHECK_FALSE(follow_ups.hold(first, true, answer_time));
    AnalyzedPage second = missing(link, true);
    REQUIRE(follow_ups.hold(second, true, answer_time));
    const auto asked = follow_ups.take_request();
    REQUIRE(asked.has_value());
    CHECK(asked->request.href() == other);
    CHECK(asked->request.purpose() == Purpose::branch);
    AnalyzedPage answer = answer_to(asked->request, status, {}, health);
    answer.snapshot.final_url = final_url;
    std::vector<AnalyzedPage> pages = follow_ups.release(std::move(answer), answer_time);
    REQUIRE(pages.size() == 1);
    CHECK(pages.front().snapshot.verdict.health == Health::dead);
    CHECK(pages.front().snapshot.facts.size() == (exists ? 1 : 0));
    CHECK_FALSE(follow_ups.hold(pages.front(), true, answer_time));
  }
  FollowUps ending(nullptr);
  AnalyzedPage late = missing(link, true);
  CHECK_FALSE(ending.hold(late, false, answer_time));
}

TEST_CASE("the home page of a host with lost pages is requested once") {
  FollowUps follow_ups(nullptr);
  const auto lost = [](const std::string& url) {
    AnalyzedPage page = missing(url, true);
    page.snapshot.verdict.rule = "status";
    page.snapshot.charset = "utf-8";
    page.has_host_lost_it = true;
    return page;
  };
  AnalyzedPage first = lost("https://a.herd/x");
  AnalyzedPage second = lost("https://a.herd/y");
  REQUIRE(follow_ups.hold(first, true, answer_time));
  const auto request = follow_ups.take_request();
  REQUIRE(request.has_value());
  CHECK(request->request.href() == "https://a.herd/");
  CHECK(request->request.purpose() == Purpose::home);
  CHECK(request->request.needs_permission());
  REQUIRE(follow_ups.hold(second, true, answer_time));
  CHECK_FALSE(follow_ups.take_request().has_value());
  std::vector<AnalyzedPage> pages = follow_ups.release(answer_to(request->request, 404, {}, Health::dead), answer_time);
  REQUIRE(pages.size() == 2);
  for (AnalyzedPage& page : pages) {
    CHECK(page.snapshot.verdict.reason == "doubtful_404");
    CHECK_FALSE(follow_ups.hold(page, true, answer_time));
  }
  AnalyzedPage third = lost("https://a.herd/z");
  CHECK_FALSE(follow_ups.hold(third, true, answer_time));
  CHECK(third.snapshot.verdict.reason == "doubtful_404");
}

TEST_CASE("no home page is requested if the host has a page in this run or never had one") {
  FollowUps follow_ups(nullptr);
  AnalyzedPage alive = page_of(request_for("https://a.herd/b"), 200, Health::alive);
  CHECK_FALSE(follow_ups.hold(alive, true, answer_time));
  AnalyzedPage page = missing("https://a.herd/x", true);
  page.snapshot.verdict.rule = "status";
  page.snapshot.charset = "utf-8";
  page.has_host_lost_it = true;
  CHECK_FALSE(follow_ups.hold(page, true, answer_time));
  AnalyzedPage other = missing("https://b.herd/x", true);
  other.snapshot.verdict.rule = "status";
  other.snapshot.charset = "utf-8";
  CHECK_FALSE(follow_ups.hold(other, true, answer_time));
  CHECK(other.snapshot.verdict.health == Health::dead);
}
