// Our own network is down, or the web has a hole: the first must never look like the second.
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string seeds = std::string(LINKHERD_SOURCE_DIR) + "/seeds";

// The default settings for waiting and retrying, since these are what must keep the promise of 30 s.
ProgramResult check_with_dns_server(const std::string& address, const std::string& input) {
  const TempDir folder;
  return run_linkherd(folder.path(), {"check", "--dns-server", address, "--store", "store", input});
}

void expect_outage(const ProgramResult& result) {
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.exit_code == 4);
  CHECK(result.elapsed < std::chrono::seconds(60));  // 30 s by the contract; twice that for a slow machine
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.find("network") != std::string::npos);
  CHECK(result.out.find("Broken") == std::string::npos);
  CHECK(count_lines(result.out) < 10);
}

}  // namespace

TEST_CASE("without any name server the seed lists are an outage and no dead links") {
  SmallInternet internet;
  internet.dns_otherwise(dns_failure(DnsKind::silence));
  expect_outage(check_with_dns_server(internet.dns_server(), seeds));
}

TEST_CASE("a closed port in place of the name server is an outage") {
  std::string address;
  {
    const SmallInternet internet;
    address = internet.dns_server();
  }
  expect_outage(check_with_dns_server(address, seeds));
}

TEST_CASE("a name server that fails at every name is an outage") {
  SmallInternet internet;
  internet.dns_otherwise(dns_failure(DnsKind::server_failure));
  expect_outage(check_with_dns_server(internet.dns_server(), seeds));
}

TEST_CASE("an outage is no evidence against a link") {
  const TempDir folder;
  SmallInternet internet;
  folder.write("list.md", "[one](https://good.herd/one)\n");
  internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  const std::vector<std::string> words =
      check_words(internet, {"--max-cache-age", "0", "--store", "store", "--format", "jsonl", "list.md"});
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

TEST_CASE("one host that does not exist is a dead link and no outage") {
  const TempDir folder;
  SmallInternet internet;
  folder.write("list.md", "[one](https://good.herd/one)\n[gone](https://gone.herd/)\n");
  internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  const ProgramResult result =
      run_linkherd(folder.path(), check_words(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(line_of(lines, "https://gone.herd/").reason == "dns_not_found");
  CHECK(line_of(lines, "https://good.herd/one").health == "alive");
}
