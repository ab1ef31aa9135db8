// Tests that secrets for one host are sent to no other host, and that a password in a URL is used but neither shown nor
// stored.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// "me:s3cret" and "guest:hunter2" as servers receive them.
const std::string login_of_link = "Basic bWU6czNjcmV0";
const std::string login_of_redirect = "Basic Z3Vlc3Q6aHVudGVyMg==";

ReceivedRequest request_for(const SmallInternet& internet, const std::string& url) {
  const std::vector<ReceivedRequest> all = internet.requests();
  const auto found = std::ranges::find(all, url, &ReceivedRequest::url);
  CAPTURE(url);
  REQUIRE(found != all.end());
  return *found;
}

void expect_no_password(const std::string& text) {
  CAPTURE(text);
  CHECK_FALSE(holds(text, "s3cret"));
  CHECK_FALSE(holds(text, "hunter2"));
  CHECK_FALSE(holds(text, "t0ken"));
}

void expect_no_password(const ProgramResult& result) {
  expect_no_password(result.out);
  expect_no_password(result.err);
}

// Returns all bytes of a store. Compressed blocks hide their content, so the test also reads the store.
std::string bytes_below(const std::filesystem::path& folder) {
  std::string bytes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += read_file(entry.path());
  }
  return bytes;
}

// Arguments of `check` that also connect to port 8443 of all hosts.
std::vector<std::string> check_all_ports(const SmallInternet& internet, const std::vector<std::string>& words) {
  std::vector<std::string> all = check_arguments(internet, words);
  const std::vector<std::string> way{"--connect-to", "*:8443::" + std::to_string(internet.https_port())};
  all.insert(all.begin() + 1, way.begin(), way.end());
  return all;
}

}  // namespace

TEST_CASE("user headers are sent to the host of the link and not to redirect targets") {
  SmallInternet internet;
  const TempDir folder;
  HostScript& home = internet.host("home.herd");
  home.page("/away", redirect_page(302, "https://away.herd/page"));
  home.page("/down", redirect_page(302, "http://home.herd/plain"));
  home.page("/port", redirect_page(302, "https://home.herd:8443/other-port"));
  home.page("/here", redirect_page(302, "/page"));
  home.default_page(html_page("<p>x"));
  internet.host("away.herd").default_page(html_page("<p>x"));
  folder.write("list.md",
               "[a](https://home.herd/away) [b](https://home.herd/down) [c](https://home.herd/port) "
               "[d](https://home.herd/here)\n");
  const ProgramResult result = run_linkherd(
      folder.path(), check_all_ports(internet, {"--no-store", "-H", "PRIVATE-TOKEN: s3cret", "-H", "X-Api-Key: s3cret",
                                                "-H", "X-Team: s3cret", "-H", "Accept-Language: zh", "-H",
                                                "Cache-Control: no-cache", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  for (const char* url : {"https://home.herd/away", "https://home.herd/page"}) {
    const ReceivedRequest request = request_for(internet, url);
    for (const char* name : {"PRIVATE-TOKEN", "X-Api-Key", "X-Team"}) CHECK(request.header(name) == "s3cret");
  }
  for (const char* url : {"https://away.herd/page", "http://home.herd/plain", "https://home.herd/other-port"}) {
    const ReceivedRequest request = request_for(internet, url);
    for (const char* name : {"PRIVATE-TOKEN", "X-Api-Key", "X-Team"}) CHECK(request.header(name) == "");
    CHECK(request.header("Accept-Language") == "zh");
    CHECK(request.header("Cache-Control") == "no-cache");
  }
}

TEST_CASE("login patterns match scheme and port") {
  SmallInternet internet;
  const TempDir folder;
  for (const char* host : {"one.herd", "two.herd"}) internet.host(host).default_page(html_page("<p>x"));
  internet.host("start.herd").page("/to-plain", redirect_page(302, "http://two.herd/redirected"));
  folder.write("list.md",
               "[a](https://one.herd/) [b](http://one.herd/) [c](https://one.herd:8443/port) [d](https://two.herd/) "
               "[e](http://two.herd/listed) [f](https://two.herd:8443/port) [g](https://start.herd/to-plain)\n");
  const ProgramResult result = run_linkherd(
      folder.path(), check_all_ports(internet, {"--no-store", "--basic-auth", "https://one\\.herd me:s3cret",
                                                "--header-for", "two\\.herd X-Key: s3cret", "list.md"}));
  CAPTURE(result.err);
  CHECK(request_for(internet, "https://one.herd/").header("Authorization") == login_of_link);
  CHECK(request_for(internet, "http://one.herd/").header("Authorization") == "");
  CHECK(request_for(internet, "https://one.herd/port").header("Authorization") == "");
  CHECK(request_for(internet, "https://two.herd/").header("X-Key") == "s3cret");
  CHECK(request_for(internet, "http://two.herd/listed").header("X-Key") == "s3cret");
  CHECK(request_for(internet, "https://two.herd/port").header("X-Key") == "");
  CHECK(request_for(internet, "http://two.herd/redirected").header("X-Key") == "");
}

TEST_CASE("a login in a URL is not sent to a server with a bad certificate") {
  SmallInternet internet;
  const TempDir folder;
  for (const std::string host : {"bad.herd", "-dash.herd"}) {  // curl has another name for the second type
    CAPTURE(host);
    internet.host(host).default_page(html_page("<p>x"));
    internet.tls(host, CertificateKind::self_signed);
    folder.write("list.md", "[a](https://me:s3cret@" + host + "/)\n");
    run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "list.md"}));
    REQUIRE_FALSE(internet.requests(host).empty());
    for (const ReceivedRequest& request : internet.requests(host)) CHECK(request.header("Authorization") == "");
  }
}

TEST_CASE("passwords in URLs are sent and neither shown nor stored") {
  SmallInternet internet;
  const TempDir folder;
  HostScript& host = internet.host("login.herd");
  Page page = html_page("<head><title>T</title><link rel=canonical href=/canonical></head><body>x");
  page.headers.emplace_back("ETag", "\"v1\"");
  host.page("/page", page);
  host.page("/gone", status_page(404));
  host.page("/away", redirect_page(301, "https://guest:hunter2@other.herd/page"));
  host.page("/circle", redirect_page(302, "https://guest:hunter2@login.herd/circle2"));
  host.page("/circle2", redirect_page(302, "https://guest:hunter2@login.herd/circle2"));
  host.page("/nowhere", redirect_page(302, "https://guest:hunter2@bad host/"));
  internet.host("other.herd").page("/page", page);
  folder.write("list.md",
               "# See https://me:s3cret@login.herd/heading\n\n<https://me:s3cret@login.herd/page>\n"
               "[b](https://me:s3cret@login.herd/gone) [c](HTTPS:me:s3cret@login.herd/away) "
               "[d](https://me:s3cret@login.herd/circle) [e](https://t0ken@login.herd/token) "
               "[f](https://me:s3cret@nohost.herd/) [g](ftp://me:s3cret@login.herd/) [h](https://me:s3cret@) "
               "[i](https://me:s3cret@login.herd/nowhere)\n");
  const auto words = [&](const std::string& format) {
    return check_arguments(internet, {"-vv", "--all", "--store", "store", "--max-cache-age", "0", "--log-file", "log",
                                      "--format", format, "list.md"});
  };
  for (const std::string format : {"jsonl", "json", "text"}) {
    CAPTURE(format);
    internet.clear_requests();
    const ProgramResult result = run_linkherd(folder.path(), words(format));
    CHECK(result.exit_code == 2);
    CHECK(holds(result.out, "https://me:***@login.herd/gone"));
    CHECK(holds(result.out, "https://guest:***@other.herd/page"));
    expect_no_password(result);
    CHECK(request_for(internet, "https://login.herd/page").header("Authorization") == login_of_link);
    CHECK(request_for(internet, "https://other.herd/page").header("Authorization") == login_of_redirect);
    // The second run finds the validators that the first run has stored for the page.
    const bool conditional = !request_for(internet, "https://login.herd/page").header("If-None-Match").empty();
    CHECK(conditional == (format != "jsonl"));
    expect_no_password(run_linkherd(folder.path(), {"report", "--all", "--store", "store", "--format", format}));
    for (const std::string link : {"page", "away", "circle", "nowhere"}) {
      const ProgramResult history = run_linkherd(
          folder.path(), {"history", "--store", "store", "--format", format, "https://me:s3cret@login.herd/" + link});
      CHECK(history.exit_code == 0);
      expect_no_password(history);
    }
  }
  expect_no_password(bytes_below(folder / "store"));
  expect_no_password(read_file(folder / "log"));
  const std::vector<CheckedLine> lines = checked_lines(run_linkherd(folder.path(), words("jsonl")).out);
  CHECK(line_of(lines, "https://me:***@login.herd/page").reason == "not_modified");
  CHECK(line_of(lines, "https://***@login.herd/token").health == "dead");
}

TEST_CASE("messages about a URL mask its password") {
  SmallInternet internet;
  const TempDir folder;
  folder.write("list.md", "[a](https://me:s3cret@login.herd/)\n");
  internet.host("login.herd").default_page(html_page("<p>x"));
  const std::vector<std::string> check = check_arguments(internet, {"--store", "store", "list.md"});
  REQUIRE(run_linkherd(folder.path(), check).exit_code == 0);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           check_arguments(internet, {"--no-store", "https://me:s3cret@lists.herd/list.md"}),
           {"links", "https://me:s3cret@lists.herd/list.md"},
           {"check", "--base-url", "https://me:s3cret@[bad/", "list.md"},
           {"history", "--store", "store", "https://me:s3cret@unknown.herd/"},
           {"history", "--store", "store", "https://me:s3cret@[bad/"},
           {"url", "--base-url", "https://me:s3cret@[bad/", "x"}}) {
    const ProgramResult result = run_linkherd(folder.path(), words);
    CHECK(result.exit_code != 0);
    expect_no_password(result);
  }
  // Commands that only repeat the user's input show it unchanged.
  CHECK(holds(run_linkherd(folder.path(), {"links", "list.md"}).out, "https://me:s3cret@login.herd/"));
  CHECK(holds(run_linkherd(folder.path(), {"url", "https://me:s3cret@login.herd/"}).out, "me:s3cret"));
}
