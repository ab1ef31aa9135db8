// Hosts that take their time: slow ones are fine, those that never come to an end are unreachable, and nobody else
// waits.
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

Page page_by(Delivery delivery, std::chrono::milliseconds delay = {}) {
  Page page = html_page("<title>In Its Own Time</title><h1>In Its Own Time</h1>");
  page.delivery = delivery;
  page.delay = delay;
  return page;
}

}  // namespace

TEST_CASE("slow hosts are alive and those that never answer are unreachable") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("late.herd").otherwise(page_by(Delivery::whole, std::chrono::milliseconds(1000)));
  internet.host("dripping.herd").otherwise(page_by(Delivery::drip));
  internet.host("silent.herd").otherwise(page_by(Delivery::silence));
  internet.host("stalling.herd").otherwise(page_by(Delivery::stall));
  internet.host("closing.herd").otherwise(page_by(Delivery::close));
  internet.host("endless.herd").otherwise(page_by(Delivery::endless));
  internet.host("closed.herd");
  internet.dns("closed.herd", dns_addresses({"127.0.0.77"}));  // where nobody listens
  internet.host("unnamed.herd");
  internet.dns("unnamed.herd", dns_failure(DnsKind::server_failure));
  struct Row {
    std::string host;
    std::string health;
    std::string reason;
  };
  const std::vector<Row> rows{
      {"late.herd", "alive", "ok"},
      {"dripping.herd", "alive", "ok"},
      {"silent.herd", "unreachable", "timeout"},
      {"stalling.herd", "alive", "ok"},  // status and headers came whole: the host lives
      {"closing.herd", "unreachable", "bad_response"},
      {"endless.herd", "alive", "ok"},
      {"closed.herd", "unreachable", "connection_refused"},
      {"unnamed.herd", "unreachable", "dns_failed"},
  };
  std::string list;
  for (const Row& row : rows) list += "[x](https://" + row.host + "/)\n";
  folder.write("list.md", list);
  const ProgramResult result = run_linkherd(
      folder.path(), check_words(internet, {"--timeout", "4s", "--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);  // nothing is proven dead
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const Row& row : rows) {
    const CheckedLine& line = line_of(lines, "https://" + row.host + "/");
    CAPTURE(row.host);
    CAPTURE(line.evidence);
    CHECK(line.health == row.health);
    CHECK(line.reason == row.reason);
  }
}

TEST_CASE("one host that never answers does not hold up the others") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("silent.herd").otherwise(page_by(Delivery::silence));
  internet.host("good.herd").otherwise(page_by(Delivery::whole));
  std::string list;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    list += "[x](https://silent.herd/" + number + ")\n[x](https://good.herd/" + number + ")\n";
  }
  folder.write("list.md", list);
  RunningProgram program = start_linkherd(
      folder.path(),
      check_words(internet, {"--timeout", "100s", "--robots", "ignore", "--no-store", "--format", "jsonl", "list.md"}));
  const auto all_good_were_asked = [&internet] { return internet.requests("good.herd").size() == 20; };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!all_good_were_asked() && std::chrono::steady_clock::now() < end) {
    internet.wait_for_requests(1000, std::chrono::milliseconds(50));
  }
  CHECK(all_good_were_asked());
  CHECK(program.running());  // still waiting for the silent one
}
