// Tests outages of the local network and of a part of the web. linkherd must never mistake the first for the second.
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// Uses the default settings for timeouts and retries, which must be fast enough for the promised 30 s.
ProgramResult check_with_dns_server(const std::string& address, const std::string& input) {
  const TempDir folder;
  // One target of the seed lists has no scheme. It is a missing file, which is broken even without a network.
  return run_linkherd(folder.path(), {"check", "--dns-server", address, "--store", "store", "--exclude",
                                      "newsletter.maartengrootendorst.com", input});
}

void expect_outage(const ProgramResult& result) {
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.exit_code == 4);
  CHECK(result.elapsed < std::chrono::seconds(60));  // the documented limit is 30 s; the rest allows for a slow machine
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.find("network") != std::string::npos);
  CHECK(result.out.find("Broken") == std::string::npos);
  CHECK(count_lines(result.out) < 10);
}

}  // namespace

TEST_CASE("without any name server the seed lists are an outage without dead links" * doctest::test_suite("timing")) {
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::silence));
  expect_outage(check_with_dns_server(internet.dns_server(), seeds_folder));
}

TEST_CASE("a closed port instead of the name server is an outage" * doctest::test_suite("timing")) {
  std::string address;
  {
    const SmallInternet internet;
    address = internet.dns_server();
  }
  expect_outage(check_with_dns_server(address, seeds_folder));
}

TEST_CASE("a name server that fails for every name is an outage" * doctest::test_suite("timing")) {
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::server_failure));
  expect_outage(check_with_dns_server(internet.dns_server(), seeds_folder));
}

TEST_CASE("an outage is no evidence against a link") {
  const TempDir folder;
  SmallInternet internet;
  folder.write("list.md", "[one](https://good.herd/one)\n");
  internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  const std::vector<std::string> words =
      check_arguments(internet, {"--max-cache-age", "0", "--store", "store", "--format", "jsonl", "list.md"});
  REQUIRE(run_linkherd(folder.path(), words).exit_code == 0);
  internet.dns("good.herd", dns_failure(DnsKind::silence));
  const ProgramResult outage = run_linkherd(folder.path(), words);
  CAPTURE(outage.err);
  CHECK(outage.exit_code == 4);
  CHECK(line_of(checked_lines(outage.out), "https://good.herd/one").strikes == 0);
  internet.dns("good.herd", dns_addresses({"127.0.0.1"}));
  const ProgramResult again = run_linkherd(folder.path(), words);
  CHECK(again.exit_code == 0);
  CHECK(line_of(checked_lines(again.out), "https://good.herd/one").health == "alive");
}

TEST_CASE("one missing host is a dead link and no outage") {
  const TempDir folder;
  SmallInternet internet;
  folder.write("list.md", "[one](https://good.herd/one)\n[gone](https://gone.herd/)\n");
  internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(line_of(lines, "https://gone.herd/").reason == "dns_not_found");
  CHECK(line_of(lines, "https://good.herd/one").health == "alive");
}

TEST_CASE("a name server that denies everything is an outage however short the list is") {
  const TempDir folder;
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::not_found));
  folder.write("list.md", "[a](https://one.com/)\n[b](https://two.org/x)\n[c](https://three.net/)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 4);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  REQUIRE(lines.size() == 3);
  for (const CheckedLine& line : lines) {
    CHECK(line.health == "deferred");
    CHECK(line.reason == "outage");
    CHECK(line.strikes == 0);
  }
}

TEST_CASE("missing hosts are dead links however many they are") {
  const TempDir folder;
  const SmallInternet internet;
  std::string list;
  for (int i = 0; i < 12; ++i) list += "[x](https://gone" + std::to_string(i) + ".com/)\n";
  folder.write("list.md", list);
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  for (const CheckedLine& line : checked_lines(result.out)) CHECK(line.reason == "dns_not_found");
}

TEST_CASE("a captive portal is an outage and leaves no trace in the store") {
  const TempDir folder;
  SmallInternet internet;
  std::string list;
  for (int i = 0; i < 8; ++i) {
    const std::string host = "site" + std::to_string(i) + ".com";
    internet.host(host).page("/", html_page("<title>Fish for everyone</title>"));
    list += "[x](http://" + host + "/)\n";
  }
  internet.host("portal.net").default_page(html_page("<title>Welcome to the hotel</title>"));
  folder.write("list.md", list);
  const std::vector<std::string> words =
      check_arguments(internet, {"--max-cache-age", "0", "--store", "store", "--format", "jsonl", "list.md"});
  REQUIRE(run_linkherd(folder.path(), words).exit_code == 0);
  for (int i = 0; i < 8; ++i) {
    const std::string host = "site" + std::to_string(i) + ".com";
    internet.host(host).page("/", redirect_page(302, "http://portal.net/login?from=" + host));
  }
  const ProgramResult captive = run_linkherd(folder.path(), words);
  CAPTURE(captive.err);
  CHECK(captive.exit_code == 4);
  CHECK(last_line(captive.err).find("network") != std::string::npos);
  for (const CheckedLine& line : checked_lines(captive.out)) {
    CHECK(line.health == "deferred");
    CHECK(line.reason == "outage");
    CHECK(line.harvest.title == "Fish for everyone");
  }
}

TEST_CASE("a login page of one site is no captive portal") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("portal.com").default_page(status_page(511));
  folder.write("list.md", "[x](http://portal.com/)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CHECK(result.exit_code == 0);
  CHECK(checked_lines(result.out).front().health == "blocked");
}

TEST_CASE("files and anchors are judged and reported even in an outage") {
  const TempDir folder;
  SmallInternet internet;
  internet.set_default_dns(dns_failure(DnsKind::silence));
  folder.write("list.md", "# Here\n[a](https://one.com/)\n[b](missing.md)\n[c](#nowhere)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--timeout", "2s", "list.md"}));
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  CHECK(last_line(result.err).find("your network seems to be down") != std::string::npos);
  CHECK(result.out.find("your network seems to be down") != std::string::npos);
  CHECK(result.out.find("missing.md") != std::string::npos);
  CHECK(result.out.find("#nowhere") != std::string::npos);
  CHECK(result.out.find("one.com") == std::string::npos);
}
