// Tests that texts of servers, pages, certificates and file names cannot control a reader of the output. Readers are
// terminals, CI systems, and log readers that take each line for one event.
#include <algorithm>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// A title with a command of Azure Pipelines, C1 controls, DEL, line separators and bidirectional controls.
const std::string title =
    "##vso[task.setvariable variable=a]b \xC2\x9B"
    "31m \x7F \xE2\x80\xA8 \xE2\x80\xAE \xE2\x81\xA6 \xE2\x80\x8F \xD8\x9C end";
const std::string hostile_file = "::error file=a::b.md";
const std::string other_file = "docs/##[group]c.md";

std::string without_blanks(std::string line) {
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

void expect_harmless(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK_FALSE(without_blanks(line).starts_with("::"));
    for (const char* command : {"##[", "##vso[", "##teamcity["}) CHECK(line.find(command) == std::string::npos);
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7F'; };
    CHECK(std::ranges::none_of(line, is_control));
    for (const char* obeyed : {"\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xAE", "\xE2\x81\xA6"}) {
      CHECK(line.find(obeyed) == std::string::npos);
    }
  }
}

void expect_harmless(const ProgramResult& result) {
  expect_harmless(result.out);
  expect_harmless(result.err);
}

void set_up(SmallInternet& internet, const TempDir& folder) {
  const std::string page = "<html><head><title>" + title + "</title></head><body>x</body></html>";
  internet.host("good.herd").page("/page", html_page(page));
  internet.host("good.herd").page("/moved", redirect_page(301, "https://good.herd/page?a=::b##[error]c"));
  internet.host("good.herd").page("/page?a=::b", html_page(page));
  internet.host("good.herd").page("/nowhere", redirect_page(302, " ::error::d##vso[task.complete]e"));
  internet.host("good.herd").page("/odd", html_page("x", "text/##vso[task.complete]f"));
  internet.tls("bad.herd", CertificateKind::hostile_name);
  internet.host("bad.herd").default_page(html_page("x"));
  const std::string links =
      "[a](https://good.herd/page) [b](https://good.herd/moved) [c](https://good.herd/nowhere) "
      "[d](https://good.herd/odd) [e](https://bad.herd/) [f](https://good.herd/gone##[error]g) [g](::error::h)\n";
  folder.write(hostile_file, links);
  folder.write(other_file, links);
}

}  // namespace

TEST_CASE("terminals and CI systems obey nothing that the web sends") {
  SmallInternet internet;
  const TempDir folder;
  set_up(internet, folder);
  for (const std::string format : {"text", "json", "jsonl"}) {
    CAPTURE(format);
    for (const std::string& file : {hostile_file, other_file}) {
      const ProgramResult result = run_linkherd(
          folder.path(), check_arguments(internet, {"-v", "--all", "--store", "store", "--max-cache-age", "0",
                                                    "--format", format, "--log-file", "log", "--", file}));
      CHECK(result.exit_code == 2);
      expect_harmless(result);
      expect_harmless(run_linkherd(folder.path(), {"links", "--format", format, "--", file}));
    }
    expect_harmless(run_linkherd(folder.path(), {"report", "--all", "--store", "store", "--format", format}));
    for (const std::string url : {"https://good.herd/moved", "https://good.herd/nowhere", "https://bad.herd/"}) {
      const ProgramResult history =
          run_linkherd(folder.path(), {"history", "--store", "store", "--format", format, url});
      CHECK(history.exit_code == 0);
      expect_harmless(history);
    }
    expect_harmless(run_linkherd(folder.path(), {"url", "--format", format, "https://good.herd/##[error]x", "::x"}));
  }
  expect_harmless(run_linkherd(folder.path(), {"check", "--no-store", "missing##[error].md"}));
  expect_harmless(run_linkherd(folder.path(), {"##vso[task.complete]"}));
  expect_harmless(read_file(folder / "log"));
}

TEST_CASE("a certificate name stays on one line of the log") {
  SmallInternet internet;
  const TempDir folder;
  set_up(internet, folder);
  folder.write("list.md", "[e](https://bad.herd/)\n");
  run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--log-file", "log", "list.md"}));
  const std::string log = read_file(folder / "log");
  CHECK(log.find("linkherd: error: fake") != std::string::npos);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.starts_with("["));
  }
}

TEST_CASE("JSON on a terminal keeps the values of the page") {
  SmallInternet internet;
  const TempDir folder;
  set_up(internet, folder);
  folder.write("page.html", "<html><head><title>" + title + "</title></head><body>x</body></html>");
  const ProgramResult result = run_linkherd(folder.path(), {"metadata", "--explain", "page.html"});
  expect_harmless(result);
  const std::string seen(json_lines(result.out).at(0).at("title").as_string());
  CHECK(seen.find("##vso[task.setvariable variable=a]b") != std::string::npos);
  CHECK(seen.find("\xE2\x80\xAE") != std::string::npos);
}
