// Tests redirect loops, and redirects to missing or forbidden targets.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "tests/crawler/fetch/hostile/hostile_case.h"

namespace linkherd::tests {

namespace {

using std::chrono::milliseconds;

// Records the targets of requests. A script responds by target.
class Log {
 public:
  Script answering(std::function<std::string(const std::string& request, int number)> answer) {
    return [this, answer](ServerConnection& client) {
      const std::string request = client.read_request();
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      client.send(answer(request, client.number()));
    };
  }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  bool holds(std::string_view text) const {
    const auto all = requests();
    return std::ranges::any_of(all,
                               [text](const std::string& request) { return request.find(text) != std::string::npos; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
};

bool asks_for(const std::string& request, std::string_view target) {
  return request.starts_with("GET " + std::string(target) + " ");
}

std::string closing_ok() { return ok("Connection: close\r\n"); }

}  // namespace

TEST_CASE("a redirect to itself is a dead loop") {
  survive(respond_with(redirect("/page")), {Health::dead, "redirect_loop"});
}
TEST_CASE("a redirect to itself with another fragment is a dead loop") {
  survive(respond_with(redirect("/page#x")), {Health::dead, "redirect_loop"});
}
TEST_CASE("two redirects to each other are a dead loop") {
  Log log;
  survive(log.answering([](const std::string& request, int) {
    return redirect(asks_for(request, "/page") ? "/other" : "/page");
  }),
          {Health::dead, "redirect_loop"});
  CHECK(log.requests().size() == 2);
}
TEST_CASE("a query that grows with every redirect ends at the redirect limit") {
  Log log;
  survive(log.answering([](const std::string&, int number) {
    return redirect("/page?" + std::string(static_cast<std::size_t>(number), 'x'));
  }),
          {Health::dead, "too_many_redirects"});
  CHECK(log.requests().size() == 21);
}
// The header becomes too large at some point, so that no target can be read.
TEST_CASE("a URL that doubles with every redirect ends as a bad redirect") {
  survive(
      [](ServerConnection& client) {
        client.read_request(), client.send(redirect("/" + std::string(std::size_t{2} << client.number(), 'x')));
      },
      {Health::blocked, "bad_redirect"});
}
TEST_CASE("a chain of fifty redirects is dead") {
  survive(
      [](ServerConnection& client) {
        client.read_request(),
            client.send(client.number() > 50 ? closing_ok() : redirect("/" + std::to_string(client.number()), 301));
      },
      {Health::dead, "too_many_redirects"});
}
TEST_CASE("a chain of twenty redirects is followed") {
  survive(
      [](ServerConnection& client) {
        client.read_request(),
            client.send(client.number() > 20 ? closing_ok() : redirect("/" + std::to_string(client.number()), 301));
      },
      {Health::redirected, "moved_permanently"});
}
TEST_CASE("a redirect without Location is blocked") {
  survive(respond_with("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), {Health::blocked, "bad_redirect"});
}
TEST_CASE("a redirect with an empty Location is blocked") {
  survive(respond_with(redirect("")), {Health::blocked, "bad_redirect"});
}
TEST_CASE("a Location of 60 kB is followed") {
  survive(respond_in_turn({redirect("/" + std::string(60'000, 'x')), closing_ok()}),
          {Health::redirected, "moved_temporarily"});
}
TEST_CASE("a Location of 300 kB is blocked") {
  survive(respond_with(redirect("/" + std::string(300'000, 'x'))), {Health::blocked, "bad_redirect"});
}
TEST_CASE("the last of two Locations is followed") {
  Log log;
  survive(log.answering([](const std::string&, int number) {
    return number == 1 ? redirect("/first", 302, "Location: /last\r\n") : closing_ok();
  }),
          {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("GET /last "));
}
TEST_CASE("a carriage return in a Location adds no header to the next request") {
  Log log;
  survive(log.answering(
              [](const std::string&, int number) { return number == 1 ? redirect("/a\rX-Evil: 1") : closing_ok(); }),
          {Health::redirected, "moved_temporarily"});
  CHECK_FALSE(log.holds("\rX-Evil"));
}
TEST_CASE("an escaped line break in a Location adds no header to the next request") {
  Log log;
  survive(log.answering([](const std::string&, int number) {
    return number == 1 ? redirect("/a%0d%0aX-Evil: 1") : closing_ok();
  }),
          {Health::redirected, "moved_temporarily"});
  CHECK_FALSE(log.holds("\nX-Evil"));
}
TEST_CASE("a Location with NUL is blocked") {
  survive(respond_with(redirect(std::string_view("/a\0b", 4))), {Health::blocked, "bad_redirect"});
}
TEST_CASE("spaces in a Location are trimmed or escaped") {
  Log log;
  survive(
      log.answering([](const std::string&, int number) { return number == 1 ? redirect("  /a b  ") : closing_ok(); }),
      {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("GET /a%20b HTTP/1.1"));
}
TEST_CASE("a Location with Chinese characters is escaped and followed") {
  Log log;
  survive(log.answering(
              [](const std::string&, int number) { return number == 1 ? redirect("/\xe4\xbd\xa0") : closing_ok(); }),
          {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("GET /%E4%BD%A0 "));
}
TEST_CASE("a Location in non-UTF-8 bytes is escaped and followed") {
  Log log;
  survive(
      log.answering([](const std::string&, int number) { return number == 1 ? redirect("/\xc4\xe3") : closing_ok(); }),
      {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("GET /%C4%E3 "));
}
TEST_CASE("a scheme-relative Location is followed to its host") {
  Log log;
  survive(log.answering(
              [](const std::string&, int number) { return number == 1 ? redirect("//evil.test/") : closing_ok(); }),
          {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("Host: evil.test\r\n"));
}
TEST_CASE("backslashes in a Location are read as slashes") {
  Log log;
  survive(log.answering(
              [](const std::string&, int number) { return number == 1 ? redirect("\\\\evil.test\\x") : closing_ok(); }),
          {Health::redirected, "moved_temporarily"});
  CHECK(log.holds("GET /x "));
}
TEST_CASE("a redirect to a non-web scheme is skipped with its whole target") {
  for (const std::string location :
       {"mailto:a@b.test", "tg://resolve?domain=x", "intent://scan/#Intent;scheme=zxing;end",
        "itms-apps://apple.test/1", "weixin://dl/chat?x", "ftp://evil.test/", "magnet:?xt=urn:btih:1",
        "file:///etc/passwd", "gopher://127.0.0.1:25/_HELO", "data:text/html,hello", "javascript:alert(1)"}) {
    CAPTURE(location);
    survive(respond_with(redirect(location)), {Health::skipped, "unsupported_scheme"},
            {.check_result = [&location](const crawler::FetchResult& result) {
              REQUIRE(result.redirects.size() == 1);
              CHECK(result.redirects.front().to == location);
              CHECK(result.response.detail.find(location) != std::string::npos);
            }});
  }
}
TEST_CASE("a Location that is no URL is blocked") {
  survive(respond_with(redirect("http://[::1")), {Health::blocked, "bad_redirect"});
}
TEST_CASE("a Location with a port above 65535 is blocked") {
  survive(respond_with(redirect("http://a.test:99999/")), {Health::blocked, "bad_redirect"});
}

TEST_CASE("a redirect to a private address is skipped") {
  survive(respond_with(redirect("http://10.0.0.1/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback in hexadecimal is skipped") {
  survive(respond_with(redirect("http://0x7f.1/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback as one number is skipped") {
  survive(respond_with(redirect("http://2130706433/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback in full-width digits is skipped") {
  survive(respond_with(redirect("http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/")),
          {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback as IPv4-mapped IPv6 is skipped") {
  survive(respond_with(redirect("http://[::ffff:127.0.0.1]/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback as NAT64 is skipped") {
  survive(respond_with(redirect("http://[64:ff9b::7f00:1]/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to loopback as 6to4 is skipped") {
  survive(respond_with(redirect("http://[2002:7f00:1::]/")), {Health::skipped, "private_address"});
}
TEST_CASE("a redirect to a cloud metadata address is skipped") {
  survive(respond_with(redirect("http://169.254.169.254/latest/meta-data/")), {Health::skipped, "private_address"});
}

TEST_CASE("a cookie wall that redirects to itself is passed") {
  Log log;
  survive(log.answering([](const std::string& request, int) {
    return request.find("Cookie: seen=1") == std::string::npos
               ? redirect("/page", 302, "Set-Cookie: seen=1; Path=/\r\n")
               : closing_ok();
  }),
          {}, {.check_result = [](const crawler::FetchResult& result) { CHECK(result.redirects.size() == 1); }});
  CHECK(log.requests().size() == 2);
}
TEST_CASE("a cookie wall over two pages is passed") {
  Log log;
  survive(log.answering([](const std::string& request, int) {
    if (request.find("Cookie: pass=yes") != std::string::npos) return closing_ok();
    return asks_for(request, "/gate") ? redirect("/page", 302, "Set-Cookie: pass=yes; Path=/\r\n") : redirect("/gate");
  }),
          {});
}
TEST_CASE("a cookie wall of three rounds is passed") {
  Log log;
  survive(log.answering([](const std::string& request, int) {
    const auto has = [&request](const char* cookie) { return request.find(cookie) != std::string::npos; };
    if (has("third=1")) return closing_ok();
    return redirect("/page", 302,
                    std::string("Set-Cookie: ") +
                        (has("second=1")  ? "third"
                         : has("first=1") ? "second"
                                          : "first") +
                        "=1\r\n");
  }),
          {});
  CHECK(log.requests().size() == 4);
}
TEST_CASE("a cookie wall with endless rounds is a loop after four requests") {
  Log log;
  survive(log.answering([](const std::string&, int number) {
    return redirect("/page", 302, "Set-Cookie: n=" + std::to_string(number) + "\r\n");
  }),
          {Health::dead, "redirect_loop"});
  CHECK(log.requests().size() == 4);
}
TEST_CASE("a cookie wall that repeats the same cookie is a loop") {
  Log log;
  survive(log.answering([](const std::string&, int) { return redirect("/page", 302, "Set-Cookie: n=1\r\n"); }),
          {Health::dead, "redirect_loop"});
  CHECK(log.requests().size() == 2);
}
TEST_CASE("a cookie for another site neither passes a wall nor is sent") {
  Log log;
  survive(log.answering(
              [](const std::string&, int) { return redirect("/page", 302, "Set-Cookie: n=1; Domain=evil.test\r\n"); }),
          {Health::dead, "redirect_loop"});
  CHECK(log.requests().size() == 1);
}
TEST_CASE("a cookie is not sent unless a URL repeats") {
  Log log;
  survive(log.answering([](const std::string&, int number) {
    return number == 1 ? redirect("/other", 302, "Set-Cookie: track=me; Path=/\r\n") : closing_ok();
  }),
          {Health::redirected, "moved_temporarily"});
  CHECK_FALSE(log.holds("track=me"));
}
TEST_CASE("the cookies of a chain are sent only to the sites that set them") {
  Log log;
  survive(log.answering([](const std::string& request, int number) {
    if (request.find("Host: evil.test") != std::string::npos) return redirect("http://hostile.test/page");
    return redirect("http://evil.test/", 302, "Set-Cookie: mine=1; Path=/\r\n") +
           std::string(number > 99 ? 1U : 0U, ' ');
  }),
          {Health::dead, "redirect_loop"});
  for (const std::string& request : log.requests()) {
    if (request.find("Host: evil.test") != std::string::npos) CHECK(request.find("Cookie:") == std::string::npos);
  }
}
TEST_CASE("endless cookies in a redirect loop end as a loop") {
  survive(
      [](ServerConnection& client) {
        client.read_request();
        std::string cookies;
        for (int i = 0; i < 2000; ++i)
          cookies +=
              "Set-Cookie: c" + std::to_string(client.number() * 10'000 + i) + "=" + std::string(50, 'v') + "\r\n";
        client.send(redirect("/page", 302, cookies));
      },
      {Health::dead, "redirect_loop"});
}

TEST_CASE("secrets are sent only to the host that they are for") {
  Log log;
  survive(log.answering([](const std::string& request, int) {
    return request.find("Host: hostile.test") != std::string::npos ? redirect("http://evil.test/hostile.test")
                                                                   : closing_ok();
  }),
          {Health::redirected, "moved_temporarily"}, {.adjust = [](crawler::FetchOptions& options) {
            options.headers = {crawler::parse_header("Authorization: Bearer secret-a").value(),
                               crawler::parse_header("Cookie: secret-b=1").value(),
                               crawler::parse_header_for("hostile.test X-Key: secret-c").value(),
                               crawler::parse_header("X-Team: secret-e").value(),
                               crawler::parse_header("Accept-Language: zh").value()};
            options.cookies = crawler::parse_cookie_file("hostile.test\tFALSE\t/\tFALSE\t0\tjar\tsecret-d\n").value();
          }});
  REQUIRE(log.requests().size() == 2);
  const std::string home = log.requests().front();
  const std::string away = log.requests().back();
  for (const std::string secret : {"secret-a", "secret-b", "secret-c", "secret-d", "secret-e"}) {
    CAPTURE(secret);
    CHECK(home.find(secret) != std::string::npos);
    CHECK(away.find(secret) == std::string::npos);
  }
  CHECK(away.find("Accept-Language: zh") != std::string::npos);
}
TEST_CASE("a page that refreshes itself is alive") {
  survive(respond_with(
              ok("Refresh: 0; url=/page\r\nConnection: close\r\n", "<meta http-equiv=refresh content='0;url=/page'>")),
          {});
}

struct HeadRow {
  std::string to_head;
  bool falls_back;
};
void ask_by_head(const HeadRow& row) {
  Log log;
  survive(log.answering([&](const std::string& request, int) {
    return request.starts_with("HEAD ") ? row.to_head : closing_ok();
  }),
          {}, {.adjust = [](crawler::FetchOptions& options) { options.method = crawler::MethodPlan::head_then_get; }});
  CHECK(log.holds("GET ") == row.falls_back);
}
std::string refused(int status) {
  return fmt::format("HTTP/1.1 {} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
}

TEST_CASE("a good HEAD answer needs no GET") {
  ask_by_head({"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\n", false});
}
TEST_CASE("a HEAD with 405 falls back to GET") { ask_by_head({refused(405), true}); }
TEST_CASE("a HEAD with 501 falls back to GET") { ask_by_head({refused(501), true}); }
TEST_CASE("a HEAD with 403 falls back to GET") { ask_by_head({refused(403), true}); }
TEST_CASE("a HEAD with 404 falls back to GET") { ask_by_head({refused(404), true}); }
TEST_CASE("a HEAD with 500 falls back to GET") { ask_by_head({refused(500), true}); }
TEST_CASE("a HEAD without an answer falls back to GET") { ask_by_head({"", true}); }
TEST_CASE("a HEAD answer with a body needs no GET") { ask_by_head({closing_ok(), false}); }

}  // namespace linkherd::tests
