// Tests servers that support only one version of HTTP: if the default version fails, linkherd tries the other one for
// that origin.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/http2_frames.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Script = RawServer::Script;
using Http2Script = std::function<void(ServerConnection& client, std::uint32_t stream)>;

const std::string greeting = "<!doctype html><title>A modern page</title><p>x";
const std::string http1_page =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " + std::to_string(greeting.size()) + "\r\n\r\n" +
    greeting;

// A host with a separate server that counts connections and requests by version.
class OneServer {
 public:
  OneServer(Script http1, Http2Script http2, const std::function<void(SSL_CTX*)>& agree = &http2::prefer_http2)
      : server_(
            [this, http1 = std::move(http1), http2 = std::move(http2)](ServerConnection& client) {
              std::string first = client.read_some();
              if (first.starts_with(http2::preface.substr(0, 4))) {
                ++http2_connections;
                http2::serve(client, std::move(first), [&](std::uint32_t stream) { http2(client, stream); });
              } else if (!first.empty()) {
                ++http1_connections;
                http1(client);
              }
            },
            [this, agree](SSL_CTX* context) {
              internet_.authority().install(context);
              agree(context);
            }) {
    internet_.host("modern.herd");
  }

  std::vector<CheckedLine> check(int links, const std::vector<std::string>& more = {}) const {
    const TempDir folder;
    std::string list;
    for (int i = 0; i < links; ++i) list += "[x](https://modern.herd/" + std::to_string(i) + ")\n";
    folder.write("list.md", list);
    std::vector<std::string> options{"--no-store", "--format", "jsonl", "list.md"};
    options.insert(options.end(), more.begin(), more.end());
    std::vector<std::string> words = check_arguments(internet_, options);
    words.insert(words.begin() + 1, {"--connect-to", "modern.herd:443:127.0.0.1:" + std::to_string(server_.port())});
    const ProgramResult result = run_linkherd(folder.path(), words);
    CAPTURE(result.err);
    std::vector<CheckedLine> lines = checked_lines(result.out);
    REQUIRE(lines.size() == static_cast<std::size_t>(links));
    return lines;
  }

  std::atomic<int> http1_connections{0};
  std::atomic<int> http2_connections{0};

 private:
  SmallInternet internet_;
  RawServer server_;
};

void check_alive(const std::vector<CheckedLine>& lines) {
  for (const CheckedLine& line : lines) {
    CAPTURE(line.evidence);
    CHECK(line.health == "alive");
    CHECK(line.harvest.title == "A modern page");
  }
}

void send_page(ServerConnection& client, std::uint32_t stream) { client.send(http2::page(stream, greeting)); }

// The first request has already been read.
void serve_http1(ServerConnection& client) {
  while (client.send(http1_page) && !client.read_request().empty()) continue;
}

Script sends(std::string answer) {
  return [answer = std::move(answer)](ServerConnection& client) {
    client.send(answer);
    client.wait_for_end();
  };
}

}  // namespace

TEST_CASE("an HTTP/2-only server is fetched over HTTP/2 after one HTTP/1.1 request") {
  struct Row {
    std::string name;
    Script http1;
  };
  const std::string empty = "\r\nContent-Length: 0\r\n\r\n";
  const std::vector<Row> rows{
      {"426", sends("HTTP/1.1 426 Upgrade Required\r\nUpgrade: h2c" + empty)},
      {"464", sends("HTTP/1.1 464 Incompatible" + empty)},
      {"505", sends("HTTP/1.1 505 HTTP Version Not Supported" + empty)},
      {"421", sends("HTTP/1.1 421 Misdirected Request" + empty)},
      {"a SETTINGS frame", sends(http2::frame(http2::frame_type::settings, 0, 0, ""))},
      {"a GOAWAY frame", sends(http2::frame(http2::frame_type::settings, 0, 0, "") + http2::goaway(1))},
      {"the end", [](ServerConnection&) {}},
      {"a reset", [](ServerConnection& client) { client.reset(); }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    OneServer server(row.http1, &send_page);
    check_alive(server.check(3, {"--host-concurrency", "1"}));
    const int max_attempts = row.name == "421" ? 6 : 1;  // for 421, every link is first requested on a new connection
    CHECK(server.http1_connections.load() <= max_attempts);
    CHECK(server.http2_connections.load() >= 1);
  }
}

TEST_CASE("a server without a common protocol is fetched over HTTP/2") {
  OneServer server([](ServerConnection&) {}, &send_page, &http2::require_http2);
  check_alive(server.check(3, {"--max-retries", "0"}));
  CHECK(server.http1_connections.load() == 0);
}

TEST_CASE("a server silent over HTTP/1.1 is retried over HTTP/2") {
  OneServer server([](ServerConnection& client) { client.wait_for_end(); }, &send_page);
  check_alive(server.check(1, {"--timeout", "2s"}));
  CHECK(server.http1_connections.load() == 1);
}

TEST_CASE("an HTTP/1.1-only server with status 426 is blocked") {
  OneServer server(sends("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n"), &send_page, [](SSL_CTX*) {});
  const CheckedLine line = server.check(1).front();
  CHECK(line.health == "blocked");
  CHECK(line.reason == "http_426");
  CHECK(server.http1_connections.load() == 2);
}

TEST_CASE("a server that fails in both versions gets at most three requests of the other version") {
  OneServer server([](ServerConnection& client) { client.reset(); },
                   [](ServerConnection& client, std::uint32_t) { client.send(http2::goaway(http2::error::internal)); });
  for (const CheckedLine& line : server.check(8, {"--max-retries", "0", "--host-concurrency", "1"}))
    CHECK((line.health == "unreachable" || line.health == "deferred"));
  CHECK(server.http2_connections.load() <= 3);
}

TEST_CASE("with http2 a server with failing HTTP/2 is fetched over HTTP/1.1") {
  using http2::rst_stream;
  namespace error = http2::error;
  const std::vector<std::function<std::string(std::uint32_t)>> failures{
      [](std::uint32_t stream) { return rst_stream(stream, error::protocol); },
      [](std::uint32_t stream) { return rst_stream(stream, error::internal); },
      [](std::uint32_t stream) { return rst_stream(stream, error::refused_stream); },
      [](std::uint32_t stream) { return rst_stream(stream, error::http_1_1_required); },
      [](std::uint32_t) { return http2::goaway(error::none); },
      [](std::uint32_t) { return http2::goaway(error::protocol); },
      [](std::uint32_t) { return http2::goaway(error::internal); },
  };
  for (std::size_t i = 0; i < failures.size(); ++i) {
    CAPTURE(i);
    OneServer server(&serve_http1,
                     [&](ServerConnection& client, std::uint32_t stream) { client.send(failures[i](stream)); });
    check_alive(server.check(3, {"--http2", "--host-concurrency", "1", "--max-retries", "0"}));
    CHECK(server.http2_connections.load() >= 1);
    CHECK(server.http1_connections.load() >= 1);
  }
}

TEST_CASE("a body cut by HTTP/2 is distinguished from a whole one") {
  namespace frame_type = http2::frame_type;
  using http2::rst_stream;
  struct Row {
    std::string name;
    std::string fields;                              // in addition to the usual ones
    std::function<std::string(std::uint32_t)> rest;  // after the body
    bool is_whole;
  };
  const auto nothing = [](std::uint32_t) { return std::string(); };
  const auto end = [](std::uint32_t stream) { return http2::frame(frame_type::data, http2::end_stream, stream, ""); };
  const std::vector<Row> rows{
      {"whole", "", end, true},
      {"whole, then reset for no error", "",
       [&](std::uint32_t stream) { return end(stream) + rst_stream(stream, http2::error::none); }, true},
      {"shorter than announced", http2::header("content-length", "900"), end, false},
      {"cancelled", "", [](std::uint32_t stream) { return rst_stream(stream, http2::error::cancel); }, false},
      {"failed", "", [](std::uint32_t stream) { return rst_stream(stream, http2::error::internal); }, false},
      {"left", "", [](std::uint32_t) { return http2::goaway(http2::error::internal); }, false},
      {"silent", "", nothing, false},
      {"reset for no error", http2::header("content-length", "900"),
       [](std::uint32_t stream) { return rst_stream(stream, http2::error::none); }, false},
      // curl 7.88 cannot detect this. It is one reason why HTTP/1.1 is the default.
      {"reset for no error, without a length", "",
       [](std::uint32_t stream) { return rst_stream(stream, http2::error::none); }, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    OneServer server([](ServerConnection& client) { client.reset(); },
                     [&](ServerConnection& client, std::uint32_t stream) {
                       const std::string fields = http2::status(200) + http2::header("content-type", "text/html");
                       client.send(http2::frame(frame_type::headers, http2::end_headers, stream, fields + row.fields));
                       client.send(http2::frame(frame_type::data, 0, stream, greeting));
                       client.pause(std::chrono::milliseconds(
                           300));  // curl delays headers that arrive together with the end of the stream
                       client.send(row.rest(stream));
                     });
    const CheckedLine line = server.check(1, {"--http2", "--timeout", "3s"}).front();
    CAPTURE(line.evidence);
    CHECK(line.health == "alive");
    CHECK((line.evidence.find("truncated") == std::string::npos) == row.is_whole);
  }
}
