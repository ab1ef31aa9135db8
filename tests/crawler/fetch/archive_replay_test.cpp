#include "crawler/fetch/archive_replay.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/saved_response.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/temp_dir.h"

namespace linkherd::crawler {
namespace {

using tests::gzip_compress;
using tests::TempDir;

struct Fields {
  std::string type = "response";
  std::string uri = "http://a.cn/";
  std::string date = "2024-01-01T00:00:00Z";
  std::string more = {};  // whole lines
};

std::string warc_text(const Fields& fields, const std::string& block) {
  return fmt::format(
      "WARC/1.0\r\nWARC-Type: {}\r\nWARC-Target-URI: {}\r\nWARC-Date: {}\r\n{}Content-Length: {}\r\n\r\n{}\r\n\r\n",
      fields.type, fields.uri, fields.date, fields.more, block.size(), block);
}

std::string ok(const std::string& body, const std::string& headers = "Content-Type: text/html\r\n") {
  return "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
}

struct Archive {
  TempDir dir;
  ArchiveReplay answers;

  explicit Archive(const std::string& text, std::optional<Timestamp> at = std::nullopt) : answers(at) {
    const Result<void> read = answers.add_file(dir.write("x.warc", text).string());
    CHECK_FALSE(read.has_error());
    answers.build_index();
  }
  std::optional<AttemptResult> find(const std::string& url) const {
    return answers.find(parser::Url::parse(url).value(), 1000);
  }
  std::string body(const std::string& url) const {
    const auto answer = find(url);
    return answer ? answer->body : "none";
  }
};

TEST_CASE("a saved answer is found by its URL and equals what the server sent") {
  const Archive archive(
      warc_text({.uri = "<http://A.cn:80/x#y>", .more = "WARC-IP-Address: 192.0.2.1\r\n"}, ok("page")) +
      warc_text({.type = "request"}, "GET / HTTP/1.1\r\n\r\n") +
      warc_text({.uri = "dns:a.cn"}, "a.cn. 1 IN A 192.0.2.1"));
  CHECK(archive.answers.size() == 1);
  const auto answer = archive.find("http://a.cn/x");
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(answer->body == "page");
  CHECK(answer->is_body_complete());
  CHECK(answer->header("content-type") == "text/html");
  CHECK(answer->remote_address == "192.0.2.1");
  CHECK(answer->saved_at == parse_timestamp("2024-01-01T00:00:00Z").value());
  CHECK_FALSE(archive.find("https://a.cn/x"));
}

TEST_CASE("the newest of several answers wins or the one nearest to a given date") {
  const std::string text = warc_text({.date = "2024-03-01T00:00:00Z"}, ok("march")) +
                           warc_text({.date = "2024-01-01T00:00:00Z"}, ok("january")) +
                           warc_text({.date = "2024-02-01T00:00:00Z"}, ok("february"));
  CHECK(Archive(text).body("http://a.cn/") == "march");
  const auto at = [&text](const char* date) {
    return Archive(text, parse_timestamp(date).value()).body("http://a.cn/");
  };
  CHECK(at("2020-01-01") == "january");
  CHECK(at("2024-01-30") == "february");
  CHECK(at("2030-01-01") == "march");
}

TEST_CASE("another spelling of a URL finds its normalised form but an exact match comes first") {
  const std::string text = warc_text({.uri = "http://a.cn/%7euser/"}, ok("escaped")) +
                           warc_text({.uri = "http://a.cn/%7Euser/", .date = "2024-02-01T00:00:00Z"}, ok("newest")) +
                           warc_text({.uri = "http://b.cn/~user/"}, ok("plain")) +
                           warc_text({.uri = "http://c.cn/~x", .date = "2020-01-01T00:00:00Z"}, ok("exact")) +
                           warc_text({.uri = "http://c.cn/%7ex"}, ok("newer")) +
                           warc_text({.uri = "http://c.cn/%2Fx"}, ok("other"));
  const Archive archive(text);
  CHECK(archive.body("http://a.cn/~user/") == "newest");
  CHECK(archive.body("http://a.cn/%7euser/") == "escaped");
  CHECK(archive.body("http://a.cn/~%75ser/") == "newest");
  CHECK(archive.body("http://b.cn/%7Euser/") == "plain");
  CHECK(archive.body("http://c.cn/~x") == "exact");
  CHECK(archive.body("http://c.cn/%7Ex") == "newer");
  CHECK(archive.body("http://c.cn//x") == "none");
  CHECK(Archive(text, parse_timestamp("2024-01-02").value()).body("http://a.cn/~user/") == "escaped");
}

TEST_CASE("a revisit record has the body of the record that it refers to") {
  const std::string original = warc_text(
      {.uri = "http://b.cn/", .more = "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha1:ABC\r\n"}, ok("page"));
  const std::string not_found = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n";
  const std::string unmodified = "HTTP/1.1 304 Not Modified\r\n\r\n";
  struct Case {
    std::string more;
    std::string block;
    int status;
    std::string body;
  };
  const std::vector<Case> cases{
      {"WARC-Refers-To: <urn:uuid:1>\r\n", not_found, 404, "page"},
      {"WARC-Refers-To-Target-URI: http://b.cn/\r\nWARC-Refers-To-Date: 2024-01-01T00:00:00Z\r\n", {}, 200, "page"},
      {"WARC-Refers-To-Target-URI: http://b.cn/\r\nWARC-Refers-To-Date: 2024\r\n", {}, 200, "page"},
      {"WARC-Payload-Digest: sha1:ABC\r\n", unmodified, 200, "page"},
      {"WARC-Payload-Digest: sha1:XYZ\r\n", not_found, 404, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.more);
    const std::string revisit =
        warc_text({.type = "revisit", .date = "2024-05-01T00:00:00Z", .more = one.more}, one.block);
    for (const std::string& text :
         {original + revisit, revisit + original, gzip_compress(revisit) + gzip_compress(original)}) {
      const auto answer = Archive(text).find("http://a.cn/");
      REQUIRE(answer);
      CHECK(answer->status == one.status);
      CHECK(answer->body == one.body);
      CHECK(answer->saved_at == parse_timestamp("2024-05-01T00:00:00Z").value());
    }
  }
  CHECK_FALSE(Archive(warc_text({.type = "revisit"}, unmodified) + original).find("http://a.cn/"));
}

TEST_CASE("bodies are read from the WARC dialects of common tools") {
  struct Dialect {
    const char* name;
    std::string block;
    std::string body;
    bool complete = true;
  };
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::vector<Dialect> dialects{
      {"chunks as received", ok("4;x=y\r\nsome\r\n5\r\n page\r\n0\r\n\r\n", chunked), "some page"},
      {"chunks that were joined, and the header stayed", ok("<p>some page", chunked), "<p>some page"},
      {"chunks that are cut", ok("4\r\nsome\r\n50\r\n pa", chunked), "some pa", false},
      {"chunks without end", ok("4\r\nsome\r\n", chunked), "some", false},
      {"gzip as received", ok(gzip_compress("some page"), "Content-Encoding: gzip\r\n"), "some page"},
      {"gzip that was undone, and the header stayed", ok("some page", "Content-Encoding: gzip\r\n"), "some page"},
      {"chunks of gzip",
       ok(fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", gzip_compress("some page").size(), gzip_compress("some page")),
          chunked + "Content-Encoding: gzip\r\n"),
       "some page"},
      {"shorter than announced", ok("some", "Content-Length: 9\r\n"), "some", false},
      {"longer than announced", ok("some page", "Content-Length: 4\r\n"), "some page"},
      {"lines that end in LF", "HTTP/1.0 200 OK\nContent-Type: text/html\n\nsome page", "some page"},
      {"an interim answer before it", "HTTP/1.1 103 Early Hints\r\n\r\n" + ok("some page"), "some page"},
      {"HTTP/2", "HTTP/2 200\r\n\r\nsome page", "some page"},
      {"no end of headers", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "", false},
  };
  for (const Dialect& dialect : dialects) {
    CAPTURE(dialect.name);
    storage::WarcRecord record;
    record.type = "response";
    auto answer = parse_saved_response(record, dialect.block, true);
    REQUIRE(answer);
    decode_content(*answer, 1000);
    CHECK(answer->status == 200);
    CHECK(answer->body == dialect.body);
    CHECK(answer->is_body_complete() == dialect.complete);
  }
  storage::WarcRecord record;
  record.type = "response";
  for (const char* block : {"", "no HTTP", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n"}) {
    CHECK_FALSE(parse_saved_response(record, block, true));
  }
  record.type = "resource";
  record.fields = {{"content-type", "text/html"}, {"warc-truncated", "length"}};
  const auto resource = parse_saved_response(record, "a page", true);
  REQUIRE(resource);
  CHECK(resource->status == 200);
  CHECK(resource->header("content-type") == "text/html");
  CHECK_FALSE(resource->is_body_complete());
}

TEST_CASE("a file that is no archive is refused and a damaged one is named") {
  const TempDir dir;
  ArchiveReplay answers;
  CHECK(answers.add_file((dir / "missing").string()).error().message == "does not exist or is not a regular file");
  CHECK(answers.add_file(dir.path().string()).error().message == "does not exist or is not a regular file");
  CHECK(answers.add_file(dir.write("page.html", "<p>").string()).error().message == "is not a WARC file");
  CHECK(answers.add_file(dir.write("empty.warc", warc_text({.type = "warcinfo"}, "")).string()).error().message ==
        "contains no HTTP response");
  const std::string good = warc_text({}, ok("page"));
  const std::string name = dir.write("cut.warc", good + good.substr(0, 150)).string();
  CHECK_FALSE(answers.add_file(name).has_error());
  const std::string undated = dir.write("undated.warc", warc_text({.date = "once"}, ok("page")) + good).string();
  CHECK_FALSE(answers.add_file(undated).has_error());
  CHECK(answers.problems().back() == undated + ": record at offset 0: it has no valid date");
  for (const char* block : {"HTTP/1.1 99999999999 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 -1\r\n\r\n",
                            "HTTP/1.1 000\r\n\r\n", "<p>no HTTP</p>", ""}) {
    const std::string bad = dir.write("bad.warc", warc_text({}, block) + good).string();
    const std::size_t before = answers.size();
    CHECK_FALSE(answers.add_file(bad).has_error());
    CHECK(answers.size() == before + 1);
    CHECK(answers.problems().back() == bad + ": record at offset 0: it contains no HTTP response");
  }
  std::string many;
  for (int i = 0; i < 1500; ++i) many += warc_text({}, "no HTTP");
  ArchiveReplay damaged;
  CHECK_FALSE(damaged.add_file(dir.write("many.warc", many + good).string()).has_error());
  CHECK(damaged.problems().size() == 1000);
  CHECK(damaged.problem_count() == 1500);
  CHECK_FALSE(answers.add_file(name).has_error());
  REQUIRE_FALSE(answers.problems().empty());
  CHECK(answers.problems().back().starts_with(name + ": record at offset " + std::to_string(good.size())));
}

TEST_CASE("a pool with saved answers follows redirects in the archive and sends no request") {
  tests::SmallInternet internet;
  internet.host("a.cn").default_page(tests::html_page("from the network"));
  const Archive archive(warc_text({.uri = "http://a.cn/old"}, "HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n") +
                        warc_text({.uri = "http://a.cn/new", .date = "2024-02-01T00:00:00Z"}, ok("the page")) +
                        warc_text({.uri = "http://a.cn/lost"}, "HTTP/1.1 302 Found\r\nLocation: /nowhere\r\n\r\n") +
                        warc_text({.uri = "http://a.cn/image"}, ok("bytes", "Content-Type: image/png\r\n")) +
                        warc_text({.uri = "http://a.cn/busy"}, "HTTP/1.1 429 Too Many\r\nRetry-After: 3600\r\n\r\n"));
  tests::FetchPoolFixture fixture(internet);
  fixture.options.saved = &archive.answers;
  std::map<std::string, FetchResult> results;
  for (const char* path : {"busy", "old", "lost", "image", "other"})
    fixture.pool().submit(tests::request_for("http://a.cn/" + std::string(path)));
  for (FetchResult& result : fixture.take(5)) results.emplace(result.link_url.path().substr(1), std::move(result));
  REQUIRE(results.size() == 5);
  CHECK(results.at("old").response.body == "the page");
  CHECK(results.at("old").redirects.size() == 1);
  CHECK(results.at("old").fetched_at == parse_timestamp("2024-02-01T00:00:00Z").value());
  CHECK(results.at("old").attempts.front().at == parse_timestamp("2024-01-01T00:00:00Z").value());
  CHECK(results.at("lost").response.failure == FailureKind::not_in_archive);
  CHECK(results.at("lost").redirects.size() == 1);
  CHECK(results.at("image").response.status == 200);
  CHECK(results.at("image").response.body_state == BodyState::dropped);
  CHECK(results.at("image").response.body.empty());
  CHECK(results.at("busy").response.status == 429);
  CHECK(results.at("other").response.failure == FailureKind::not_in_archive);
  CHECK(results.at("other").attempts.empty());
  CHECK(internet.requests().empty());
  CHECK(internet.dns_queries().empty());
}

}  // namespace
}  // namespace linkherd::crawler
