// Tests checks through a proxy. A proxy's error about a host never makes a link dead, and answers of local name servers
// are no evidence. If the proxy itself fails, that is an outage.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/scripted_proxy.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tls_certificates.h"

using namespace linkherd::tests;

namespace {

using Answer = ScriptedProxy::Answer;

const std::string served_page =
    proxy_answer(200, "Content-Type: text/html\r\n", "<title>A page</title><h1>A page</h1><p>Its text.</p>");

// The response of a proxy for one host, and the expected result of the link.
struct ProxyCase {
  std::string url;
  Answer answer;
  std::string health;
  std::string reason;
  std::string evidence;  // part of it
};

std::vector<std::string> proxied_words(const SmallInternet& internet, const std::string& proxy,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "check",    "--dns-server", internet.dns_server(), "--max-retries", "0",      "--confirm-wait", "100ms",
      "--format", "jsonl",        "--timeout",           "10s",           "list.md"};
  if (!proxy.empty()) words.insert(words.end(), {"--proxy", proxy});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string list_of(const std::vector<ProxyCase>& cases) {
  std::string list;
  for (const ProxyCase& one : cases) list += "[x](" + one.url + ")\n\n";
  return list;
}

std::string host_of(const std::string& text) {
  const std::size_t at = text.find("//");
  const std::string host = at == std::string::npos ? text.substr(text.find(' ') + 1) : text.substr(at + 2);
  return host.substr(0, host.find_first_of(":/"));
}

ScriptedProxy::Script script_of(const std::vector<ProxyCase>& cases) {
  return [&cases](const std::string& target) {
    for (const ProxyCase& one : cases) {
      if (host_of(one.url) == host_of(target)) return one.answer;
    }
    return Answer{proxy_answer(500)};
  };
}

void check_cases(const std::string& scheme, const std::vector<ProxyCase>& cases) {
  CAPTURE(scheme);
  const TempDir folder;
  const SmallInternet internet;  // no host of the test exists there
  const ScriptedProxy proxy(script_of(cases));
  folder.write("list.md", list_of(cases));
  const ProgramResult result =
      run_linkherd(folder.path(), proxied_words(internet, proxy.address(scheme), {"--no-store"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const ProxyCase& one : cases) {
    const CheckedLine& line = line_of(lines, one.url);
    CAPTURE(one.url);
    CAPTURE(line.evidence);
    CHECK(line.health == one.health);
    CHECK(line.reason == one.reason);
    CHECK(holds(line.evidence, one.evidence));
    if (one.health != "alive" && one.reason != "http_404") CHECK(holds(line.evidence, proxy.address(scheme)));
  }
  CHECK(internet.dns_queries().empty());
}

Answer closed() { return {}; }
Answer refused_by_socks(int reply) { return {.bytes = {}, .socks = reply}; }

}  // namespace

TEST_CASE("no proxy answer to CONNECT makes a link dead and no name is resolved locally") {
  std::vector<ProxyCase> cases{
      {"http://served.herd/", {served_page}, "alive", "ok", "HTTP 200"},
      {"http://hidden.onion/", {served_page}, "alive", "ok", "HTTP 200"},
      {"https://hidden-too.onion/", {proxy_answer(503)}, "unreachable", "proxy_failed", "HTTP 503"},
      {"https://squid.herd/",
       {proxy_answer(503, "X-Squid-Error: ERR_DNS_FAIL 0\r\n")},
       "unreachable",
       "proxy_failed",
       "HTTP 503 (ERR_DNS_FAIL)"},
      {"https://odd-squid.herd/",
       {proxy_answer(200 + 300, "X-Squid-Error: ERR_ACCESS_DENIED 0\r\n")},
       "blocked",
       "proxy_refused",
       "ERR_ACCESS_DENIED"},
      {"https://sent-away.herd/",
       {proxy_answer(307, "Location: http://block.page/?why=games\r\n")},
       "unreachable",
       "proxy_failed",
       "HTTP 307 to http://block.page/?why=games"},
      {"https://closed.herd/", closed(), "unreachable", "proxy_failed", "ended the connection"},
  };
  for (const int status : {302, 400, 404, 405, 429, 500, 502, 503, 504}) {
    cases.push_back({"https://connect" + std::to_string(status) + ".herd/",
                     {proxy_answer(status)},
                     "unreachable",
                     "proxy_failed",
                     "answers HTTP " + std::to_string(status)});
  }
  for (const int status : {403, 407, 451}) {
    cases.push_back({"https://connect" + std::to_string(status) + ".herd/",
                     {proxy_answer(status)},
                     "blocked",
                     "proxy_refused",
                     "HTTP " + std::to_string(status)});
  }
  check_cases("http", cases);
}

TEST_CASE("an error page of the proxy is distinguished from an answer of the server") {
  std::vector<ProxyCase> cases{
      {"http://served.herd/", {served_page}, "alive", "ok", "HTTP 200"},
      {"http://missing-squid.herd/",
       {proxy_answer(404, "X-Squid-Error: ERR_DNS_FAIL 0\r\n")},
       "unreachable",
       "proxy_failed",
       "HTTP 404 (ERR_DNS_FAIL)"},
      {"http://denied.herd/",
       {proxy_answer(403, "X-Squid-Error: ERR_ACCESS_DENIED 0\r\n")},
       "blocked",
       "proxy_refused",
       "HTTP 403 (ERR_ACCESS_DENIED)"},
      {"http://denied-page.herd/",
       {proxy_answer(404, "Content-Type: text/html\r\n", "<html><body id=\"ERR_ACCESS_DENIED\">no</body></html>")},
       "blocked",
       "proxy_refused",
       "ERR_ACCESS_DENIED"},
      {"http://moved-away.herd/",
       {proxy_answer(302, "X-Squid-Error: 302 Access Denied\r\nLocation: http://block.page/\r\n")},
       "blocked",
       "proxy_refused",
       "HTTP 302"},
      {"http://status.herd/",
       {proxy_answer(502, "Proxy-Status: corp; error=dns_error\r\n")},
       "unreachable",
       "proxy_failed",
       "dns_error"},
      {"http://login.herd/", {proxy_answer(407)}, "blocked", "proxy_refused", "login"},
      {"http://closed.herd/", closed(), "unreachable", "proxy_failed", "ended the connection"},
  };
  for (const int status : {500, 502, 503, 504}) {
    const std::string word = std::to_string(status);
    cases.push_back({"http://relayed" + word + ".herd/",
                     {proxy_answer(status)},
                     "unreachable",
                     "http_" + word,
                     "HTTP " + word + ": the server failed, or the proxy"});
  }
  check_cases("http", cases);
}

TEST_CASE("a 404 of the server is dead even behind a proxy") {
  const TempDir folder;
  const SmallInternet internet;
  const ScriptedProxy proxy([](const std::string&) { return Answer{proxy_answer(404)}; });
  folder.write("list.md", "[x](http://there.herd/gone)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), proxied_words(internet, proxy.address("http"), {"--no-store"}));
  CHECK(result.exit_code == 2);
  CHECK(checked_lines(result.out).front().reason == "http_404");
  CHECK(internet.dns_queries().empty());
}

TEST_CASE("no SOCKS reply makes a link dead and resolving proxies get the name") {
  std::vector<ProxyCase> cases{
      {"http://served.herd/", {served_page}, "alive", "ok", "HTTP 200"},
      {"http://hidden.onion/", {served_page}, "alive", "ok", "HTTP 200"},
      {"http://ruled-out.herd/", refused_by_socks(2), "blocked", "proxy_refused", "not allow"}};
  for (const int reply : {1, 3, 4, 5, 6, 7, 8, 77}) {
    cases.push_back({"http://reply" + std::to_string(reply) + ".herd/", refused_by_socks(reply), "unreachable",
                     "proxy_failed", "cannot connect"});
    cases.push_back({"https://reply" + std::to_string(reply) + "-tls.herd/", refused_by_socks(reply), "unreachable",
                     "proxy_failed", "cannot connect"});
  }
  check_cases("socks5h", cases);
  for (ProxyCase& one : cases) {  // SOCKS 4 has a single failure code
    if (one.health == "blocked") {
      one.health = "unreachable";
      one.reason = "proxy_failed";
      one.evidence = "rejected or failed";
    }
  }
  check_cases("socks4a", cases);
}

TEST_CASE("an NXDOMAIN for a non-resolving proxy makes no link dead") {
  for (const std::string scheme : {"socks5", "socks4"}) {
    CAPTURE(scheme);
    const TempDir folder;
    SmallInternet internet;
    internet.dns("known.herd", dns_addresses({"192.0.2.1"}));
    const ScriptedProxy proxy([](const std::string&) { return Answer{served_page}; });
    folder.write("list.md", "[a](http://known.herd/)\n[b](http://inside.herd/)\n[c](http://hidden.onion/)\n");
    const ProgramResult result =
        run_linkherd(folder.path(), proxied_words(internet, proxy.address(scheme), {"--no-store", "--allow-private"}));
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    CHECK(line_of(lines, "http://known.herd/").health == "alive");
    CHECK(line_of(lines, "http://inside.herd/").health == "unreachable");
    CHECK(line_of(lines, "http://inside.herd/").reason == "proxy_failed");
    CHECK(line_of(lines, "http://hidden.onion/").reason == "needs_tor");
    CHECK(std::ranges::none_of(internet.dns_queries(),
                               [](const ReceivedQuery& query) { return query.name.ends_with("onion"); }));
    CHECK(proxy.targets() == std::vector<std::string>{"SOCKS 192.0.2.1:80"});
  }
}

TEST_CASE("without a proxy an onion address is neither resolved nor dead") {
  const TempDir folder;
  const SmallInternet internet;
  folder.write("list.md", "[a](http://hidden.onion/)\n[b](https://www.hidden.onion./x)\n");
  for (const std::string resolver : {"c-ares", "system"}) {
    const ProgramResult result =
        run_linkherd(folder.path(), proxied_words(internet, "", {"--no-store", "--resolver", resolver}));
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    for (const CheckedLine& line : checked_lines(result.out)) {
      CHECK(line.health == "skipped");
      CHECK(line.reason == "needs_tor");
    }
  }
  CHECK(internet.dns_queries().empty());
}

TEST_CASE("a resolving proxy is not asked for localhost or private addresses") {
  const TempDir folder;
  const SmallInternet internet;
  const ScriptedProxy proxy([](const std::string& target) {
    return Answer{proxy_answer(
        302, holds(target, "one.herd") ? "Location: http://localhost/\r\n" : "Location: http://x.localhost./\r\n")};
  });
  // A link to localhost is a placeholder, but a redirect to it is not.
  folder.write("list.md", "[a](http://one.herd/)\n[b](http://two.herd/)\n[c](http://10.0.0.1/)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), proxied_words(internet, proxy.address("http"), {"--no-store"}));
  CAPTURE(result.err);
  for (const CheckedLine& line : checked_lines(result.out)) CHECK(line.reason == "private_address");
  CHECK(proxy.targets().size() == 2);
  CHECK(std::ranges::none_of(proxy.targets(), [](const std::string& target) { return holds(target, "localhost"); }));
}

TEST_CASE("a failing proxy is an outage and no strike") {
  std::string closed_port;
  {
    const ScriptedProxy proxy([](const std::string&) { return Answer{}; });
    closed_port = proxy.address("http");
  }
  const SmallInternet internet;
  TestAuthority authority;
  const ScriptedProxy silent([](const std::string&) { return Answer{.bytes = {}, .is_silent = true}; });
  const ScriptedProxy wants_login([](const std::string&) { return Answer{proxy_answer(407)}; });
  const ScriptedProxy untrusted([](const std::string&) { return Answer{served_page}; },
                                [&authority](ssl_ctx_st* context) { authority.install(context); });
  const RawServer wants_socks_login([](ServerConnection& client) {
    client.read_some();
    client.send("\x05\xff");
  });
  const std::vector<std::string> proxies{closed_port,
                                         "socks5h" + closed_port.substr(4),
                                         "http://no-such-proxy.herd:3128",
                                         silent.address("http"),
                                         silent.address("socks5h"),
                                         wants_login.address("http"),
                                         "socks5h://127.0.0.1:" + std::to_string(wants_socks_login.port()),
                                         untrusted.address("https")};
  for (const std::string& proxy : proxies) {
    CAPTURE(proxy);
    const TempDir folder;
    folder.write("list.md", "[a](http://one.herd/)\n[b](https://two.herd/x)\n[c](https://three.herd/)\n");
    std::vector<std::string> words = proxied_words(internet, proxy, {"--store", "store"});
    *std::ranges::find(words, "10s") = "2s";
    const ProgramResult result = run_linkherd(folder.path(), words);
    CAPTURE(result.err);
    CAPTURE(result.out);
    CHECK(result.exit_code == 4);
    CHECK(holds(result.err, "your network seems to be down"));
    for (const CheckedLine& line : checked_lines(result.out)) {
      CHECK(line.strikes == 0);
      CHECK(line.health != "dead");
      CHECK(line.health != "insecure");
    }
  }
}

TEST_CASE("an unresponsive host behind a working proxy is unreachable") {
  const TempDir folder;
  const SmallInternet internet;
  const ScriptedProxy proxy([](const std::string& target) {
    return holds(target, "silent") ? Answer{.bytes = {}, .is_silent = true} : Answer{served_page};
  });
  folder.write("list.md", "[a](http://good.herd/)\n[b](https://silent.herd/x)\n[c](http://silent-too.herd/)\n");
  std::vector<std::string> words = proxied_words(internet, proxy.address("http"), {"--store", "store"});
  *std::ranges::find(words, "10s") = "2s";
  const ProgramResult result = run_linkherd(folder.path(), words);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const char* url : {"https://silent.herd/x", "http://silent-too.herd/"}) {
    CHECK(line_of(lines, url).health == "unreachable");
    CHECK(line_of(lines, url).reason == "timeout");
    CHECK(line_of(lines, url).strikes == 1);
  }
}

TEST_CASE("proxies of the environment and the configuration are treated alike") {
  const std::vector<ProxyCase> cases{{"http://served.herd/", {served_page}, "alive", "ok", ""},
                                     {"https://out.herd/", {proxy_answer(502)}, "unreachable", "proxy_failed", ""}};
  const ScriptedProxy proxy(script_of(cases));
  for (const bool is_environment : {true, false}) {
    CAPTURE(is_environment);
    const TempDir folder;
    const SmallInternet internet;
    folder.write("list.md", list_of(cases));
    ProgramOptions options =
        linkherd_options(folder.path(), proxied_words(internet, is_environment ? "env" : "", {"--no-store"}));
    if (is_environment) {
      options.environment["http_proxy"] = proxy.address("http");
      options.environment["HTTPS_PROXY"] = proxy.address("http").substr(7);
    } else {
      folder.write("settings.toml", "proxy = \"" + proxy.address("http") + "\"\n");
      options.arguments.insert(options.arguments.end(), {"--config", "settings.toml"});
    }
    const ProgramResult result = run_program(LINKHERD_PROGRAM, options);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    for (const ProxyCase& one : cases) CHECK(line_of(lines, one.url).health == one.health);
    CHECK(internet.dns_queries().empty());
  }
}
