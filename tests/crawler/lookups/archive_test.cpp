#include "crawler/lookups/archive.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::ArchivedCopy;

namespace {

Timestamp at(const char* text) { return parse_timestamp(text).value(); }

const Timestamp now = at("2026-03-05T10:00:00Z");
const std::string copied = "http://web.archive.org/web/20190306071500/https://blog.example.com/post?id=7";
const std::string copied_https = "https" + copied.substr(4);

DeadLink dead(const char* url = "https://blog.example.com/post?id=7", const char* wanted = "2019-03-05") {
  return {3, parser::Url::parse(url).value(), at(wanted)};
}

std::string available(const std::string& url, const std::string& timestamp = "20190306071500",
                      const std::string& rest = R"("status":"200","available":true)") {
  return fmt::format(R"({{"url":"x","archived_snapshots":{{"closest":{{{},"url":"{}","timestamp":"{}"}}}}}})", rest,
                     url, timestamp);
}

std::string memento(const std::string& url, const std::string& date, const std::string& relation = "memento") {
  return fmt::format("<{}>; rel=\"{}\"; datetime=\"{}\",\n", url, relation, date);
}

std::optional<ArchivedCopy> nearest(const std::string& timemap, const DeadLink& link = dead()) {
  const auto found = Archive().nearest_copy(timemap, link, now);
  REQUIRE(found.has_value());
  return *found;
}

std::optional<ArchivedCopy> found_available(const std::string& answer, const DeadLink& link = dead(),
                                            const Archive& archive = Archive()) {
  const auto found = archive.available_copy(answer, link, now);
  REQUIRE(found.has_value());
  return *found;
}

// Responds to the request that `lookups` has made.
ArchiveLookups::Outcome answer(ArchiveLookups& lookups, int status, std::string_view body = {},
                               bool is_complete = true) {
  storage::Snapshot snapshot;
  snapshot.status = status;
  snapshot.fetched_at = now;
  snapshot.is_body_complete = is_complete;
  return lookups.handle_response(snapshot, body);
}

// Submits dead() and responds to the request.
ArchiveLookups::Outcome ask_and_answer(ArchiveLookups& lookups, int status, std::string_view body = {},
                                       bool is_complete = true) {
  lookups.make_request(dead());
  return answer(lookups, status, body, is_complete);
}

}  // namespace

TEST_CASE("archive requests encode the link as one component without login and fragment") {
  const DeadLink link = dead("https://me:secret@blog.example.com/a b?x=1&y=%20+中#part", "2019-03-05T06:07:08Z");
  CHECK(Archive().availability(link).href() ==
        "https://archive.org/wayback/available?url=https%3A%2F%2Fblog.example.com%2Fa%2520b%3Fx%3D1%26y%3D%2520%2B%25E4"
        "%25B8%25AD&timestamp=20190305060708");
  CHECK(Archive().timemap(link).href() ==
        "https://web.archive.org/web/timemap/link/https://blog.example.com/a%20b?x=1&y=%20+%E4%B8%AD");
  const Archive own(parser::Url::parse("http://127.0.0.1:8080/archive/").value());
  CHECK(own.availability(dead()).href().starts_with("http://127.0.0.1:8080/archive/wayback/available?url=https%3A"));
  CHECK(own.timemap(dead()).href() ==
        "http://127.0.0.1:8080/archive/web/timemap/link/https://blog.example.com/post?id=7");
}

TEST_CASE("only public links that are not archived copies are looked up") {
  const Archive archive;
  for (const char* url :
       {"https://blog.example.com/", "http://例え.jp/x", "https://me:secret@blog.example.com/?u=https://a.example/"})
    CHECK(archive.may_know(parser::Url::parse(url).value()));
  const std::string long_url = "https://blog.example.com/" + std::string(5000, 'x');
  for (const char* url :
       {"ftp://blog.example.com/", "http://localhost/", "http://intranet/page", "http://10.0.0.1/", "http://[::1]/",
        "https://web.archive.org/web/2019/https://a.example.com/", long_url.c_str(), "http://printer.local/",
        "http://abc.onion/x", "http://wiki.corp.internal/", "http://nas.home.arpa/", "http://home.arpa/",
        "http://a.test/", "http://git.corp/", "https://blog.example.com/?next=https://me:secret@a.example.com/",
        "https://blog.example.com/?next=https%3A%2F%2Fme%3Asecret%40a.example.com%2F"}) {
    CAPTURE(std::string(url));
    CHECK_FALSE(archive.may_know(parser::Url::parse(url).value()));
  }
  const Archive own(parser::Url::parse("https://archive.example.net:8443/own").value());
  CHECK_FALSE(own.may_know(parser::Url::parse("https://web.archive.org/web/2019/https://a.example.com/").value()));
  CHECK_FALSE(own.may_know(
      parser::Url::parse("https://archive.example.net:8443/own/web/20190306071500/https://a.example.com/").value()));
}

TEST_CASE("the availability API gives a copy and its date") {
  const auto copy = found_available(available(copied));
  REQUIRE(copy.has_value());
  CHECK(*copy == ArchivedCopy{copied_https, at("2019-03-06T07:15:00Z"), now});
}

TEST_CASE("an implausible availability answer gives no copy") {
  const std::string other_page = "http://web.archive.org/web/20190306071500/https://other.example.org/post?id=7";
  const std::string long_url = copied + std::string(10'000, 'x');
  for (const std::string& answer : {std::string(R"({"archived_snapshots":{}})"),
                                    std::string(R"({"archived_snapshots":{"closest":[]}})"),
                                    available(copied, "20190306071500", R"("status":"404","available":true)"),
                                    available(copied, "20190306071500", R"("status":"200","available":false)"),
                                    available(copied, "20190306071500", R"("status":"200","available":"true")"),
                                    available(copied, "20190306071500", R"("available":true)"),
                                    available(copied, "2019"),
                                    available(copied, "20191306071500"),
                                    available(copied, "20190231071500"),
                                    available(copied, "19500306071500"),
                                    available(copied, "20370306071500"),
                                    available(copied, "2019-03-06 071"),
                                    available(""),
                                    available("/web/20190306071500/https://blog.example.com/post?id=7"),
                                    available("javascript:alert('blog.example.com')"),
                                    available("file:///web.archive.org/blog.example.com"),
                                    available("https://evil.example.net/https://blog.example.com/post?id=7"),
                                    available("https://web.archive.org.evil.net/https://blog.example.com/"),
                                    available("https://a:b@web.archive.org/https://blog.example.com/post?id=7"),
                                    available("https://web.archive.org/"),
                                    available("https://blog.example.com.web.archive.org/"),
                                    available(other_page),
                                    available(long_url)}) {
    CAPTURE(answer.substr(0, 200));
    CHECK_FALSE(found_available(answer).has_value());
  }
}

TEST_CASE("an unparsable availability answer is an error") {
  for (const std::string& answer :
       {std::string(), std::string("{}"), std::string("null"), std::string("[1,2]"),
        std::string("<!doctype html><title>Sorry</title>"), std::string(R"({"archived_snapshots":[]})"),
        std::string(100'000, '['), available(copied).substr(0, 60)}) {
    CAPTURE(answer.substr(0, 200));
    CHECK(Archive().available_copy(answer, dead(), now).has_error());
  }
}

TEST_CASE("a copy has the same page and its address lies inside the archive") {
  const std::string start = "http://web.archive.org/web/20190306071500";
  for (const std::string& address :
       {start + "/http://blog.example.com/post?id=7", start + "/https://www.blog.example.com:443/post?id=7",
        start + "id_/https://BLOG.example.com/post?id=7", start + "if_/blog.example.com/post?id=7",
        start + "/http://blog.example.com:80/post/?id=7"}) {
    CAPTURE(address);
    CHECK(found_available(available(address)).has_value());
  }
  for (const std::string& address :
       {start + "/https://blog.example.com/", start + "/https://blog.example.com/post",
        start + "/https://blog.example.com/post?id=77", start + "/https://blog.example.com/POST?id=7",
        start + "/https://other.example.org/?u=https://blog.example.com/post?id=7",
        start + "/https://blog.example.com.evil.net/post?id=7", start + "/https://blog.example.com:8443/post?id=7",
        start + "/https://me:secret@blog.example.com/post?id=7", start + "/ftp://blog.example.com/post?id=7",
        start + "xyz/https://blog.example.com/post?id=7", start + "0/https://blog.example.com/post?id=7",
        std::string("http://web.archive.org/web/20190306071501/https://blog.example.com/post?id=7"),
        std::string("http://web.archive.org/web/2019/https://blog.example.com/post?id=7"),
        std::string("http://web.archive.org/save/20190306071500/https://blog.example.com/post?id=7"),
        std::string("http://archive.org/web/20190306071500/https://blog.example.com/post?id=7"),
        std::string("http://evil.web.archive.org/web/20190306071500/https://blog.example.com/post?id=7"),
        std::string("http://web.archive.org:8080/web/20190306071500/https://blog.example.com/post?id=7")}) {
    CAPTURE(address);
    CHECK_FALSE(found_available(available(address)).has_value());
  }
  const Archive own(parser::Url::parse("http://127.0.0.1:8080/own/").value());
  const std::string there = "http://127.0.0.1:8080/own/web/20190306071500/https://blog.example.com/post?id=7";
  CHECK(found_available(available(there), dead(), own)->url == there);
  CHECK_FALSE(found_available(available(copied), dead(), own).has_value());
  CHECK_FALSE(found_available(available("http://127.0.0.1:8081/own" + there.substr(25)), dead(), own).has_value());
}

TEST_CASE("the TimeMap copy nearest to the date of the page is chosen") {
  const std::string start = "http://web.archive.org/web/";
  const std::string end = "/http://www.blog.example.com:80/post?id=7";
  const std::string timemap =
      "<https://blog.example.com/post?id=7>; rel=\"original\",\n"
      "<http://web.archive.org/web/timemap/link/https://blog.example.com/post?id=7>; rel=\"self\"; "
      "type=\"application/link-format\"; from=\"Sat, 09 Feb 2013 01:02:03 GMT\",\n"
      "<http://web.archive.org>; rel=\"timegate\",\n" +
      memento(start + "20130209010203" + end, "Sat, 09 Feb 2013 01:02:03 GMT", "first memento") +
      memento(start + "20190301000000" + end, "Fri, 01 Mar 2019 00:00:00 GMT") +
      memento(start + "20190306071500" + end, "Wed, 06 Mar 2019 07:15:00 GMT") +
      memento("http://elsewhere.example/20190305000000" + end, "Tue, 05 Mar 2019 00:00:00 GMT") +
      memento(start + "20190305000000" + end, "no date") +
      memento(start + "20190305000000" + end, "Tue, 05 Mar 2019 00:00:00 GMT", "prediction") +
      memento(start + "20250101000000" + end, "Wed, 01 Jan 2025 00:00:00 GMT", "last memento");
  const auto copy = nearest(timemap);
  REQUIRE(copy.has_value());
  CHECK(*copy == ArchivedCopy{"https://web.archive.org/web/20190306071500" + end, at("2019-03-06T07:15:00Z"), now});
  CHECK(nearest(timemap, dead("https://blog.example.com/post?id=7", "2012-01-01"))->date == at("2013-02-09T01:02:03Z"));
  CHECK(nearest(timemap, dead("https://blog.example.com/post?id=7", "2026-01-01"))->date == at("2025-01-01T00:00:00Z"));
}

TEST_CASE("a TimeMap without usable copy means no copy and an unparsable one is an error") {
  CHECK_FALSE(nearest("").has_value());
  CHECK_FALSE(nearest("<https://blog.example.com/post?id=7>; rel=\"original\"").has_value());
  for (const std::string& answer :
       {std::string("<!doctype html><html><body>Sorry <a href=x>x</a></body></html>"),
        std::string("{\"archived_snapshots\":{}}"), std::string("<"), std::string("\"\"\"")}) {
    CAPTURE(answer);
    CHECK(Archive().nearest_copy(answer, dead(), now).has_error());
  }
}

TEST_CASE("a TimeMap with more entries than are read does not mean that there is no copy") {
  std::string timemap;
  for (int i = 0; i < 20'001; ++i) timemap += "<https://a.example/>; rel=\"other\",\n";
  CHECK(Archive().nearest_copy(timemap, dead(), now).has_error());
}

TEST_CASE("a link is looked up at most twice and a missing copy is recorded too") {
  ArchiveLookups lookups{Archive()};
  const FetchRequest first = lookups.make_request(dead());
  CHECK(first.purpose() == Purpose::archive);
  CHECK(lookups.is_pending());
  const auto outcome = answer(lookups, 200, R"({"archived_snapshots":{}})");
  CHECK_FALSE(outcome.known.has_value());
  REQUIRE(outcome.next.has_value());
  CHECK(outcome.next->href() == "https://web.archive.org/web/timemap/link/https://blog.example.com/post?id=7");
  CHECK(lookups.is_pending());
  const auto last = answer(lookups, 404);
  CHECK_FALSE(last.next.has_value());
  REQUIRE(last.known.has_value());
  CHECK(last.known->first == 3);
  CHECK(last.known->second == ArchivedCopy{"", Timestamp{}, now});
  CHECK_FALSE(lookups.is_pending());

  const FetchRequest second = lookups.make_request(dead());
  const auto found = answer(lookups, 200, available(copied));
  REQUIRE(found.known.has_value());
  CHECK(found.known->second.url == copied_https);
}

TEST_CASE("an archive is given up after three failures in a row and its links stay unknown") {
  struct Row {
    int status;
    std::string body;
    bool complete;
  };
  const std::string none = R"({"archived_snapshots":{}})";
  for (const Row& row :
       {Row{0, "", true}, Row{429, "", true}, Row{500, "", true}, Row{503, "", true}, Row{403, none, true},
        Row{400, none, true}, Row{404, none, true}, Row{302, "", true}, Row{200, none, false},
        Row{200, "<!doctype html><title>Sorry</title>", true}, Row{200, "", true}}) {
    CAPTURE(row.status);
    CAPTURE(row.body);
    ArchiveLookups lookups{Archive()};
    const auto fail = [&] {
      const auto outcome = ask_and_answer(lookups, row.status, row.body, row.complete);
      CHECK_FALSE(outcome.next.has_value());
      CHECK_FALSE(outcome.known.has_value());
      CHECK_FALSE(lookups.is_pending());
    };
    for (int i = 0; i < 2; ++i) fail();
    ask_and_answer(lookups, 200, available(copied));  // makes the archive available again
    for (int i = 0; i < 3; ++i) {
      CHECK_FALSE(lookups.is_abandoned());
      fail();
    }
    CHECK(lookups.is_abandoned());
  }
}

TEST_CASE("an unparsable or cut TimeMap is a failure and not proof of a missing copy") {
  for (const auto& [status, body] : std::vector<std::pair<int, std::string>>{{403, ""}, {200, "<html>Sorry</html>"}}) {
    ArchiveLookups lookups{Archive()};
    for (int i = 0; i < 2; ++i) ask_and_answer(lookups, 503);
    const auto next = ask_and_answer(lookups, 200, R"({"archived_snapshots":{}})").next;
    REQUIRE(next.has_value());
    const auto last = answer(lookups, status, body);
    CHECK_FALSE(last.known.has_value());
    CHECK(lookups.is_abandoned());
  }
}

namespace {

PageCaptures captures_of(const std::string& json) {
  const auto captures = Archive().read_captures(json, parser::Url::parse("https://blog.example.com/post").value(), now);
  REQUIRE(captures.has_value());
  return *captures;
}

}  // namespace

TEST_CASE("the index of captures names the last good copy and the first redirect after it") {
  const std::string page = "https://blog.example.com/post";
  const std::string plain = "http://blog.example.com/post/";
  const std::string other = "https://other.example.com/post";
  const std::string header = R"(["timestamp","statuscode","original"])";
  const auto row = [](const std::string& year, const std::string& status, const std::string& original) {
    return fmt::format(R"(,["{}0405060708","{}","{}"])", year, status, original);
  };
  struct Row {
    std::string rows;
    std::string copy;
    std::string redirect;
  };
  const std::vector<Row> rows{
      {"", "", ""},
      {row("2015", "200", page) + row("2018", "301", page), "2015", "2018"},
      {row("2018", "301", page) + row("2015", "200", page) + row("2016", "200", page), "2016", "2018"},
      // The last copy is of another owner.
      {row("2015", "200", page) + row("2018", "301", page) + row("2023", "200", page), "2015", "2018"},
      {row("2018", "302", plain) + row("2019", "301", page), "", "2019"},
      {row("2018", "302", plain), "", "2018"},
      {row("2015", "200", page), "2015", ""},
      {row("2015", "404", page) + row("2016", "-", page), "", ""},
      {row("2015", "200", other) + row("2999", "301", page) + row("1990", "301", page), "", ""},
  };
  for (const Row& one : rows) {
    CAPTURE(one.rows);
    const PageCaptures captures = captures_of("[" + header + one.rows + "]");
    CHECK(captures.copy == (one.copy.empty() ? "" : one.copy + "0405060708"));
    CHECK(captures.redirect == (one.redirect.empty() ? "" : one.redirect + "0405060708"));
  }
  CHECK(captures_of("").copy.empty());
  CHECK(Archive().read_captures("busy", parser::Url::parse(page).value(), now).has_error());
  CHECK(Archive().read_captures("{}", parser::Url::parse(page).value(), now).has_error());
}

TEST_CASE("a captured redirect names another page, as the archive or the server wrote it") {
  const Archive archive;
  const parser::Url page = parser::Url::parse("https://blog.example.com/post?id=7").value();
  CHECK(archive.captures(page, std::nullopt).href() ==
        "https://web.archive.org/cdx/search/cdx?url=https%3A%2F%2Fblog.example.com%2Fpost%3Fid%3D7&output=json&fl="
        "timestamp,statuscode,original&filter=statuscode:[23]..&limit=-50");
  CHECK(archive.captures(page, at("2019-03-05")).href().find("&filter=statuscode:3..&from=20190305000000&limit=50") !=
        std::string_view::npos);
  const parser::Url capture = archive.capture(page, "20190405060708");
  CHECK(capture.href() == "https://web.archive.org/web/20190405060708id_/https://blog.example.com/post?id=7");
  REQUIRE(archive.captured_url(capture).has_value());
  CHECK(archive.captured_url(capture)->href() == page.href());
  const std::string prefix = "https://web.archive.org/web/20190405060708id_/";
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{}, ""},
      {{prefix + "https://new.example.net/post"}, "https://new.example.net/post"},
      {{"https://new.example.net/post"}, "https://new.example.net/post"},
      {{prefix + "https://new.example.net/a", prefix + "https://new.example.net/b"}, "https://new.example.net/b"},
      {{prefix + "http://www.blog.example.com/post?id=7"}, ""},
      {{"https://web.archive.org/web/20190507080910id_/https://blog.example.com/post?id=7"}, ""},
      {{"https://web.archive.org/web/about"}, ""},
      {{prefix + "javascript:alert(1)"}, ""},
      {{"//"}, ""},
  };
  for (const auto& [targets, expected] : rows) {
    storage::Snapshot answer;
    for (const std::string& target : targets) answer.redirects.push_back({std::string(capture.href()), 301, target});
    const auto target = archive.redirect_target(answer, page);
    CHECK((target ? target->href() : "") == expected);
  }
}
