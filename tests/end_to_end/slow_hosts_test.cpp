// Tests slow hosts: slow responses are accepted, endless ones make the link unreachable, and other hosts are not
// delayed.
#include <algorithm>

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

std::string numbered_links(const std::string& host, int links) {
  std::string list;
  for (int i = 0; i < links; ++i) list += "[x](https://" + host + "/" + std::to_string(i) + ")\n";
  return list;
}

std::ptrdiff_t count_of(const std::vector<CheckedLine>& lines, const std::string& host, const std::string& health,
                        const std::string& reason) {
  return std::ranges::count_if(lines, [&](const CheckedLine& line) {
    return line.url.starts_with("https://" + host + "/") && line.health == health && line.reason == reason;
  });
}

}  // namespace

TEST_CASE("slow hosts are alive and hosts that never answer are unreachable") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("late.herd").default_page(page_by(Delivery::whole, std::chrono::milliseconds(1000)));
  internet.host("dripping.herd").default_page(page_by(Delivery::drip));
  internet.host("silent.herd").default_page(page_by(Delivery::silence));
  internet.host("stalling.herd").default_page(page_by(Delivery::stall));
  internet.host("closing.herd").default_page(page_by(Delivery::close));
  internet.host("endless.herd").default_page(page_by(Delivery::endless));
  internet.host("closed.herd");
  internet.dns("closed.herd", dns_addresses({"127.0.0.77"}));  // nothing listens there
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
      {"stalling.herd", "alive", "ok"},  // the status and the headers are complete, so the host is alive
      {"closing.herd", "unreachable", "bad_response"},
      {"endless.herd", "alive", "ok"},
      {"closed.herd", "unreachable", "connection_refused"},
      {"unnamed.herd", "unreachable", "dns_failed"},
  };
  std::string list;
  for (const Row& row : rows) list += "[x](https://" + row.host + "/)\n";
  folder.write("list.md", list);
  const ProgramResult result = run_linkherd(
      folder.path(), check_arguments(internet, {"--timeout", "4s", "--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);  // no link is confirmed as dead
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const Row& row : rows) {
    const CheckedLine& line = line_of(lines, "https://" + row.host + "/");
    CAPTURE(row.host);
    CAPTURE(line.evidence);
    CHECK(line.health == row.health);
    CHECK(line.reason == row.reason);
  }
}

TEST_CASE("one unresponsive host does not delay the others") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("silent.herd").default_page(page_by(Delivery::silence));
  internet.host("good.herd").default_page(page_by(Delivery::whole));
  std::string list;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    list += "[x](https://silent.herd/" + number + ")\n[x](https://good.herd/" + number + ")\n";
  }
  folder.write("list.md", list);
  RunningProgram program =
      start_linkherd(folder.path(), check_arguments(internet, {"--timeout", "100s", "--robots", "ignore", "--no-store",
                                                               "--format", "jsonl", "list.md"}));
  const auto all_good_were_asked = [&internet] { return internet.requests("good.herd").size() >= 20; };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!all_good_were_asked() && std::chrono::steady_clock::now() < end) {
    internet.wait_for_requests(1000, std::chrono::milliseconds(50));
  }
  CHECK(all_good_were_asked());
  CHECK(program.running());  // the run still waits for the silent host
}

TEST_CASE("a host that accepts and never answers gets a few requests and its other links are deferred") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("silent.herd").default_page(page_by(Delivery::silence));
  internet.host("good.herd").default_page(page_by(Delivery::whole));
  constexpr int silent_links = 300;
  folder.write("list.md", numbered_links("silent.herd", silent_links) + numbered_links("good.herd", 20));
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--timeout", "4s", "--max-retries", "3", "--no-store",
                                                             "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);  // the 300 deferred links of 320 do not make the run inconclusive
  CHECK(last_line(result.err).find("their hosts do not answer") != std::string::npos);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(count_of(lines, "good.herd", "alive", "ok") == 20);
  const auto tried = count_of(lines, "silent.herd", "unreachable", "timeout");
  CHECK(tried >= 1);
  CHECK(tried <= 2);
  CHECK(count_of(lines, "silent.herd", "deferred", "host_unavailable") == silent_links - tried);
  CHECK(internet.requests("silent.herd").size() == 3);  // one is for robots.txt, and one uses HTTP/2
}

TEST_CASE("a host that only answers for robots.txt costs three silent requests") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("silent.herd").default_page(page_by(Delivery::silence));
  internet.host("silent.herd").page("/robots.txt", html_page("User-agent: *\nAllow: /\n", "text/plain"));
  constexpr int links = 40;
  folder.write("list.md", numbered_links("silent.herd", links));
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--timeout", "3s", "--max-retries", "3", "--no-store",
                                                             "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  const auto tried = count_of(lines, "silent.herd", "unreachable", "timeout");
  CHECK(tried >= 1);
  CHECK(count_of(lines, "silent.herd", "deferred", "host_unavailable") == links - tried);
  CHECK(internet.requests("silent.herd").size() == 4);
}

TEST_CASE("a host that falls silent during a run loses no page that it served") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("tired.herd").default_page(page_by(Delivery::silence));
  constexpr int links = 40;
  for (int i = 0; i < 5; ++i) internet.host("tired.herd").page("/" + std::to_string(i), page_by(Delivery::whole));
  folder.write("list.md", numbered_links("tired.herd", links));
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--timeout", "3s", "--max-retries", "0", "--robots",
                                                             "ignore", "--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(count_of(lines, "tired.herd", "alive", "ok") == 5);
  const auto tried = count_of(lines, "tired.herd", "unreachable", "timeout");
  CHECK(tried >= 1);  // the soft-404 probe and HTTP/2 cause further requests
  CHECK(count_of(lines, "tired.herd", "deferred", "host_unavailable") == links - 5 - tried);
  CHECK(internet.requests("tired.herd").size() == 8);
}

TEST_CASE("a host that fails every request is not asked for each of its links") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("busy.herd").default_page(status_page(503));
  internet.host("closing.herd").default_page(page_by(Delivery::close));
  internet.host("resetting.herd").default_page(page_by(Delivery::reset_early));
  constexpr int links = 300;
  const std::vector<std::string> hosts{"busy.herd", "closing.herd", "resetting.herd"};
  std::string list;
  for (const std::string& host : hosts) list += numbered_links(host, links);
  folder.write("list.md", list);
  const ProgramResult result = run_linkherd(
      folder.path(), check_arguments(internet, {"--max-retries", "3", "--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  const std::vector<std::string> reasons{"http_503", "bad_response", "connection_reset"};
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    CAPTURE(hosts[i]);
    const auto tried = count_of(lines, hosts[i], "unreachable", reasons[i]);
    CHECK(tried >= 10);
    CHECK(count_of(lines, hosts[i], "deferred", "host_unavailable") == links - tried);
    CHECK(internet.requests(hosts[i]).size() <= 60);
  }
}

TEST_CASE("a host whose name servers do not answer is not looked up for each of its links") {
  const TempDir folder;
  SmallInternet internet;
  internet.dns("nameless.herd", dns_failure(DnsKind::silence));
  internet.host("good.herd").default_page(page_by(Delivery::whole));
  folder.write("list.md", numbered_links("nameless.herd", 300) + numbered_links("good.herd", 20));
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--connect-timeout", "1s", "--timeout", "5s", "--no-store",
                                                             "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(count_of(lines, "good.herd", "alive", "ok") == 20);
  const auto tried = count_of(lines, "nameless.herd", "unreachable", "dns_timeout");
  CHECK(tried >= 1);
  CHECK(count_of(lines, "nameless.herd", "deferred", "host_unavailable") == 300 - tried);
}

TEST_CASE("hosts with some bad pages lose none of the good ones") {
  const TempDir folder;
  SmallInternet internet;
  constexpr int links = 24;
  // Every sixth page fails, and so do the first four.
  const auto is_bad = [](int number) { return number % 6 == 0 || number < 4; };
  const std::vector<std::string> hosts{"slow-pages.herd", "broken-pages.herd", "closing-pages.herd"};
  const std::vector<Page> bad{page_by(Delivery::silence), status_page(503), page_by(Delivery::close)};
  std::string list;
  int good = 0;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    internet.host(hosts[host]).default_page(page_by(Delivery::whole));
    for (int i = 0; i < links; ++i) {
      if (is_bad(i)) internet.host(hosts[host]).page("/" + std::to_string(i), bad[host]);
    }
    list += numbered_links(hosts[host], links);
  }
  for (int i = 0; i < links; ++i) good += is_bad(i) ? 0 : 1;
  folder.write("list.md", list);
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--timeout", "10s", "--max-retries", "0", "--no-store",
                                                             "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const std::string& host : hosts) {
    CAPTURE(host);
    CHECK(count_of(lines, host, "alive", "ok") == good);
    CHECK(count_of(lines, host, "deferred", "host_unavailable") == 0);
  }
}

TEST_CASE("a host unresponsive in three runs is dead with all its links until its first answer") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("silent.herd").default_page(page_by(Delivery::silence));
  constexpr int links = 40;
  folder.write("list.md", numbered_links("silent.herd", links));
  const auto check_at = [&](const std::string& now, const std::string& timeout = "500ms") {
    const ProgramResult result = run_linkherd(
        folder.path(), check_arguments(internet, {"--timeout", timeout, "--now", now, "--max-cache-age", "0", "--store",
                                                  "store", "--format", "jsonl", "list.md"}));
    CAPTURE(result.err);
    CHECK(result.exit_code == (now >= "2026-03-07" && now < "2026-03-08" ? 2 : 0));
    return checked_lines(result.out);
  };
  for (const char* now : {"2026-03-05T10:00:00Z", "2026-03-05T11:00:00Z", "2026-03-06T10:00:00Z"}) {
    CAPTURE(now);
    CHECK(count_of(check_at(now), "silent.herd", "deferred", "host_unavailable") >= links - 6);
  }
  const std::vector<CheckedLine> third = check_at("2026-03-07T10:00:00Z");
  CHECK(std::ranges::count(third, "dead", &CheckedLine::health) == links);
  const auto with_host = count_of(third, "silent.herd", "dead", "host_silent");
  CHECK(with_host >= links - 6);
  const auto silent = std::ranges::find(third, "host_silent", &CheckedLine::reason);
  REQUIRE(silent != third.end());
  CHECK(silent->evidence.find("o answer from the host in 3 runs") != std::string::npos);
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--all", "--store", "store"});
  CAPTURE(report.out);
  CHECK(report.out.find("no answer from the host in 3 runs") != std::string::npos);

  internet.host("silent.herd").default_page(page_by(Delivery::whole));
  CHECK(count_of(check_at("2026-03-08T10:00:00Z", "10s"), "silent.herd", "alive", "ok") == links);
}

TEST_CASE("a pause is shown with host and reason in the progress line and the reports") {
  const TempDir folder;
  SmallInternet internet;
  const Page refusal = status_page(429, {{"Retry-After", "3"}});
  internet.host("good.herd").pages("/0", {refusal, page_by(Delivery::whole)}).default_page(page_by(Delivery::whole));
  internet.host("gone.herd");
  folder.write("list.md", numbered_links("good.herd", 3) + "[x](https://gone.herd/x)\n");
  std::string command = "stty cols 200; " LINKHERD_PROGRAM;
  for (const std::string& word : check_arguments(
           internet, {"--robots", "ignore", "--confirm-wait", "100ms", "--store", "store", "--all", "--output",
                      "text:-", "--output", "html:report.html", "--output", "json:report.json", "list.md"}))
    command += " '" + word + "'";
  const std::string screen =
      run_program("/usr/bin/script", linkherd_options(folder.path(), {"-qec", command, "/dev/null"})).out;
  CAPTURE(screen);
  CHECK(holds(screen, "; good.herd: 429, asked to wait 3 s, "));
  CHECK(holds(screen, " left"));
  CHECK(holds(screen, "/4 links, 1 failed, "));
  CHECK(holds(screen, "Slowed down on purpose: good.herd, 3 s: 429, asked to wait"));
  CHECK(holds(read_file(folder / "report.html"), R"("host":"good.herd")"));
  CHECK(holds(read_file(folder / "report.json"), R"("pause_from":"host","pause_status":429)"));
}

TEST_CASE("verbose mode prints one line per finished link on stderr") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(page_by(Delivery::whole));
  internet.host("gone.herd");
  folder.write("list.md", "[x](https://good.herd/1) [x](https://gone.herd/x) [x](missing.md) <tel:1>\n");
  const auto check = [&](const std::string& option) {
    return run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--max-cache-age", "1h", option,
                                                                  "--confirm-wait", "100ms", "list.md"}))
        .err;
  };
  const std::string first = check("-v");
  CAPTURE(first);
  CHECK(holds(first, "\nalive       https://good.herd/1 (ok, "));
  CHECK(holds(first, " ms)\n"));
  CHECK(holds(first, "dead        https://gone.herd/x (http_404, "));
  CHECK(holds(first, "missing.md (file_not_found)\n"));
  const std::string second = check("-v");
  CAPTURE(second);
  CHECK(holds(second, "alive       https://good.herd/1 (ok, from the store)\n"));
  CHECK_FALSE(holds(check("-q"), "https://good.herd/1"));
  CHECK_FALSE(holds(check("--all"), "alive       https://good.herd/1"));
}
