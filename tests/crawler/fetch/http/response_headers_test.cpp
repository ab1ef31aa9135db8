#include "crawler/fetch/http/response_headers.h"

#include <string>

#include <doctest/doctest.h>

#include "parser/timestamp.h"

namespace linkherd::crawler {

namespace {

ResponseHeaders read(std::initializer_list<std::string_view> lines) {
  ResponseHeaders headers;
  for (const std::string_view line : lines) headers.add_line(line);
  return headers;
}

}  // namespace

TEST_CASE("header names are lower case and trimmed and the last of a name wins") {
  const ResponseHeaders headers =
      read({"HTTP/1.1 200 OK\r\n", "Content-TYPE:  text/html \r\n", "X:\r\n", "x: 1\n", "X: 2\r\n", " folded\r\n",
            "no colon\r\n", ": no name\r\n", "\r\n", "trailer: late\r\n"});
  CHECK(headers.complete());
  CHECK(headers.status() == 200);
  CHECK(headers.find("content-type") == "text/html");
  CHECK(headers.find("x") == "2 folded");
  CHECK(headers.find("trailer").empty());
  CHECK(headers.all().size() == 4);
}

TEST_CASE("interim answers are dropped and do not complete a response") {
  ResponseHeaders headers = read({"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n"});
  CHECK_FALSE(headers.complete());
  headers.add_line("HTTP/1.1 404 Not Found\r\n");
  CHECK(headers.all().empty());
  headers.add_line("\r\n");
  CHECK(headers.complete());
  CHECK(headers.status() == 404);
}

TEST_CASE("headers stop at their limits") {
  ResponseHeaders one = read({"HTTP/1.1 200 OK\r\n"});
  CHECK_FALSE(one.add_line(std::string(ResponseHeaders::max_line + 1, 'x')));
  CHECK(one.too_large());
  CHECK_FALSE(one.add_line("a: b\r\n"));
  ResponseHeaders many = read({"HTTP/1.1 200 OK\r\n"});
  const std::string line = "a: " + std::string(1000, 'x') + "\r\n";
  std::size_t taken = 0;
  while (many.add_line(line)) taken += line.size();
  CHECK(taken <= ResponseHeaders::max_total);
  CHECK(taken > ResponseHeaders::max_total / 2);
}

TEST_CASE("status lines of every kind are parsed") {
  CHECK(read({"HTTP/1.0 301"}).status() == 301);
  CHECK(read({"HTTP/2 204 \r\n"}).status() == 204);
  CHECK(read({"HTTP/1.1 999 No\r\n"}).status() == 999);
  CHECK(read({"HTTP/1.1\r\n"}).status() == 0);
  for (const char* line : {"HTTP/1.1 abc\r\n", "HTTP/1.1 99999999999 OK\r\n", "HTTP/1.1 -1\r\n", "HTTP/1.1 2x0\r\n"})
    CHECK(read({line}).status() == 0);
}

TEST_CASE("text bodies are kept and binary ones are dropped") {
  for (const std::string kept :
       {"", "text/html", "TEXT/HTML; charset=x", "application/xhtml+xml", "application/rss+xml", "application/xml",
        "application/json", "application/ld+json;profile=x", "text/plain, text/html", "html", "*"}) {
    CAPTURE(kept);
    CHECK(is_kept_type(kept));
  }
  for (const std::string dropped :
       {"image/png", "image/svg+xml", "video/mp4", "application/octet-stream", "font/woff2", "application/zip"}) {
    CAPTURE(dropped);
    CHECK_FALSE(is_kept_type(dropped));
  }
}

TEST_CASE("Retry-After is a number of seconds or a date and never in the past") {
  const Timestamp now = *parse_timestamp("2026-03-05T10:00:00Z");
  struct Row {
    int status;
    std::string value;
    std::string until;  // empty: no value
  };
  const Row rows[] = {{429, "120", "2026-03-05T10:02:00Z"},
                      {503, "0", "2026-03-05T10:00:00Z"},
                      {503, "Thu, 05 Mar 2026 11:00:00 GMT", "2026-03-05T11:00:00Z"},
                      {429, "Thu, 05 Mar 2020 11:00:00 GMT", "2026-03-05T10:00:00Z"},
                      {429, "-5", "2026-03-05T10:00:00Z"},
                      {429, "1.5", "2026-03-05T10:00:01Z"},
                      {429, "999999999999999999999999", "2026-03-12T10:00:00Z"},
                      {429, "99999999999", "2026-03-12T10:00:00Z"},
                      {429, "soon", ""},
                      {429, "", ""},
                      {200, "120", ""},
                      {301, "120", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    const auto until = retry_after(row.status, {{"retry-after", row.value}}, now);
    CHECK((until ? format_timestamp(*until) : "") == row.until);
  }
}

}  // namespace linkherd::crawler
