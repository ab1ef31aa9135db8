// Tests servers that violate HTTP, redirects to non-web addresses, and hosts with unusual names: their links get a
// useful verdict and no strikes.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/raw_server.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

TEST_CASE("a host that sent a status line gets no strikes for its headers") {
  for (const std::string& broken :
       {std::string("no colon here\r\n"), std::string("Content-Length: abc\r\n"), std::string("Content-Length: -5\r\n"),
        "X: " + std::string(150'000, 'x') + "\r\n"}) {
    CAPTURE(broken.substr(0, 40));
    const RawServer server([&broken](ServerConnection& client) {
      client.read_request();
      client.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + broken + "\r\n<p>hello</p>");
    });
    const TempDir folder;
    folder.write("list.md", "[x](http://broken.com/)\n");
    const std::vector<std::string> words{"check",
                                         "--allow-private",
                                         "--connect-to",
                                         "*:80:127.0.0.1:" + std::to_string(server.port()),
                                         "--strikes",
                                         "2",
                                         "--strike-interval",
                                         "0",
                                         "--max-cache-age",
                                         "0",
                                         "--store",
                                         "store",
                                         "--format",
                                         "jsonl",
                                         "list.md"};
    for (int run = 0; run < 3; ++run) {
      const ProgramResult result = run_linkherd(folder.path(), words);
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
      const CheckedLine line = checked_lines(result.out).front();
      CHECK(line.health == "alive");
      CHECK(line.status == 200);
      CHECK(line.strikes == 0);
      CHECK(line.evidence.find("headers") != std::string::npos);
    }
  }
}

TEST_CASE("a redirect to a non-web scheme is skipped with its whole target") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("contact.herd").page("/", redirect_page(302, "mailto:team@contact.herd?subject=%1b[31mhello"));
  internet.host("app.herd").page("/", redirect_page(301, "tg://resolve?domain=linkherd"));
  internet.host("nowhere.herd").page("/", status_page(302));
  folder.write("list.md", "[a](http://contact.herd/)\n[b](http://app.herd/)\n[c](http://nowhere.herd/)\n");
  for (const std::string store : {"", "store"}) {
    CAPTURE(store);
    const std::vector<std::string> words = check_arguments(
        internet, store.empty() ? std::vector<std::string>{"--no-store", "--format", "jsonl", "list.md"}
                                : std::vector<std::string>{"--store", store, "--format", "jsonl", "list.md"});
    const ProgramResult result = run_linkherd(folder.path(), words);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    const CheckedLine mail = line_of(lines, "http://contact.herd/");
    CHECK(mail.health == "skipped");
    CHECK(mail.reason == "unsupported_scheme");
    REQUIRE(mail.redirects.size() == 1);
    CHECK(mail.redirects.front().to == "mailto:team@contact.herd?subject=%1b[31mhello");
    CHECK(mail.evidence.find("mailto:team@contact.herd") != std::string::npos);
    CHECK(line_of(lines, "http://app.herd/").redirects.front().to == "tg://resolve?domain=linkherd");
    CHECK(line_of(lines, "http://nowhere.herd/").health == "blocked");
    CHECK(line_of(lines, "http://nowhere.herd/").reason == "bad_redirect");
  }
}

TEST_CASE("exactly twenty redirects are followed") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("chain.herd").handler([](const ReceivedRequest& request) {
    const int left = std::stoi(request.target.substr(1));
    return left == 0 ? html_page("<title>End</title>") : redirect_page(302, "/" + std::to_string(left - 1));
  });
  folder.write("list.md", "[a](http://chain.herd/20)\n[b](http://chain.herd/121)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(line_of(lines, "http://chain.herd/20").health == "redirected");
  CHECK(line_of(lines, "http://chain.herd/121").reason == "too_many_redirects");
}

TEST_CASE("unusual host names are resolved only by the given name server") {
  const TempDir folder;
  SmallInternet internet;
  const std::vector<std::string> hosts{"-dash.odd.herd", "a+b.odd.herd", "a!b.odd.herd", "under_score.odd.herd"};
  std::string list;
  for (const std::string& host : hosts) {
    internet.host(host).page("/", html_page("<title>Here</title>"));
    list += "<a href=\"http://" + host + "/\">x</a> <a href=\"https://" + host + "/\">x</a>\n";
  }
  folder.write("list.html", list);
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.html"}));
  CAPTURE(result.err);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(lines.size() == 2 * hosts.size());
  for (const CheckedLine& line : lines) {
    CAPTURE(line.url);
    CAPTURE(line.evidence);
    CHECK(line.health == "alive");
  }
  for (const ReceivedQuery& query : internet.dns_queries()) {
    CAPTURE(query.name);
    CHECK(std::ranges::find(hosts, query.name) != hosts.end());  // neither an alias nor truncated
  }
}
