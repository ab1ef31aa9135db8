// Tests the program on a terminal: text is wrapped at its width, with colours and hyperlinks if they are enabled.
#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reports/text_writer.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::vector<int> widths{40, 80, 200};

using Environment = std::map<std::string, std::string>;
const Environment with_hyperlinks{{"FORCE_HYPERLINK", "1"}};

// Options for a terminal whose capabilities are unknown.
ProgramOptions in_unknown_terminal(const TempDir& folder, std::vector<std::string> words, const Environment& changed) {
  ProgramOptions options = linkherd_options(folder.path(), std::move(words));
  for (const char* name :
       {"NO_COLOR", "FORCE_HYPERLINK", "TERM_PROGRAM", "WT_SESSION", "KONSOLE_VERSION", "VTE_VERSION"})
    options.environment[name] = "";
  options.environment["TERM"] = "xterm-256color";
  for (const auto& [name, value] : changed) options.environment[name] = value;
  return options;
}

// Returns the output of the program, stderr included, on a terminal with this number of columns.
std::string on_terminal(const TempDir& folder, int columns, const std::string& words,
                        const Environment& changed = with_hyperlinks) {
  const std::string command = "stty cols " + std::to_string(columns) + "; " + LINKHERD_PROGRAM + " " + words;
  return run_program("/usr/bin/script", in_unknown_terminal(folder, {"-qec", command, "/dev/null"}, changed)).out;
}

std::string without_escapes(std::string text) {
  for (std::size_t start = text.find('\x1b'); start != std::string::npos; start = text.find('\x1b')) {
    const bool is_link = text.compare(start, 2, "\x1b]") == 0;
    const std::size_t end = is_link ? text.find("\x1b\\", start) + 1 : text.find('m', start);
    text.erase(start, end - start + 1);
  }
  std::erase(text, '\r');
  return text;
}

std::vector<std::string> screen_lines(const std::string& text) {
  std::istringstream stream(without_escapes(text));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : screen_lines(text)) width = std::max(width, linkherd::reports::display_width(line));
  return width;
}

// Removes everything that wrapping may change.
std::string without_blanks(const std::string& text) {
  std::string letters = without_escapes(text);
  std::erase_if(letters, [](char c) { return c == ' ' || c == '\n'; });
  return letters;
}

// Broken links in Chinese and English with long words and long URLs, and an alive one.
void write_list(const TempDir& folder) {
  std::string list =
      "# list\n- [good](#list)\n- [" + std::string(120, 'x') + "](gone/" + std::string(150, 'y') + ".md)\n";
  for (int i = 0; i < 60; ++i)
    list += "- [已失效的教程 and a rather long name of it](docs/a/long/path/教程-" + std::to_string(i) + ".md)\n";
  folder.write("list.md", list);
}

}  // namespace

TEST_CASE("the summary view fits the width of the terminal") {
  const TempDir folder;
  write_list(folder);
  on_terminal(folder, 80, "check --store store -q list.md");
  for (const int columns : widths) {
    CAPTURE(columns);
    for (const std::string command : {"check --offline --no-store list.md", "report --store store"}) {
      const std::string text = on_terminal(folder, columns, command);
      CAPTURE(text);
      CHECK(holds(text, "\x1b[1m"));
      CHECK(widest(text) <= static_cast<std::size_t>(columns));
      const std::vector<std::string> lines = screen_lines(text);
      CHECK(lines.size() >= 35);
      CHECK(lines.size() <= 42);  // and the line on stderr, which may be wrapped
      // Continuation lines are indented to the text of their entry.
      const auto place =
          std::ranges::find_if(lines, [](const std::string& line) { return holds(line, "list.md:4:41"); });
      REQUIRE(place + 1 < lines.end());
      const std::size_t words = columns == 40 ? (place + 1)->find("已") : place->find("已");
      CHECK(words != std::string::npos);
      CHECK((place + 1)->find_first_not_of(' ') >= words);
    }
  }
}

TEST_CASE("a report of all links loses nothing on a narrow terminal") {
  const TempDir folder;
  write_list(folder);
  on_terminal(folder, 80, "check --store store -q list.md");
  const std::string whole = without_blanks(on_terminal(folder, 200, "report --store store --all"));
  CHECK(holds(whole, std::string(120, 'x')));
  for (const int columns : widths) {
    CAPTURE(columns);
    const std::string text = on_terminal(folder, columns, "report --store store --all");
    CHECK(widest(text) <= static_cast<std::size_t>(columns));
    CHECK(without_blanks(text) == whole);
  }
}

TEST_CASE("help fits the width of the terminal and loses nothing") {
  const TempDir folder;
  for (const std::string command : {"help", "help check", "help check --all", "check --help", "help metadata"}) {
    CAPTURE(command);
    const std::string whole = without_blanks(on_terminal(folder, 200, command));
    for (const int columns : widths) {
      CAPTURE(columns);
      const std::string text = on_terminal(folder, columns, command);
      CAPTURE(text);
      CHECK(widest(text) <= static_cast<std::size_t>(columns));
      CHECK_FALSE(holds(text, "\x1b"));
      CHECK(without_blanks(text) == whole);
    }
  }
  // A line below an option is part of its description.
  const std::vector<std::string> lines = screen_lines(on_terminal(folder, 40, "help check --all"));
  const auto option =
      std::ranges::find_if(lines, [](const std::string& line) { return holds(line, "--max-redirects"); });
  REQUIRE(option + 1 < lines.end());
  CHECK((option + 1)->find_first_not_of(' ') == 6);
}

TEST_CASE("hyperlinks and colours are only for terminals that show them") {
  const TempDir folder;
  folder.write("list.md", "- [gone](gone.md)\n- [web](https://web.herd/)\n");
  const std::string all = "check --offline --no-store --all list.md";
  const std::string link = "\x1b]8;";
  const std::string text = on_terminal(folder, 80, all);
  CHECK(holds(text, ";https://web.herd/\x1b\\https://web.herd/\x1b]8;;\x1b\\"));
  CHECK(holds(on_terminal(folder, 80, all, {{"VTE_VERSION", "7000"}}), link));
  CHECK(holds(on_terminal(folder, 80, all, {{"TERM_PROGRAM", "WezTerm"}}), link));
  const std::string unknown = on_terminal(folder, 80, all, {});
  CHECK_FALSE(holds(unknown, link));
  CHECK(holds(unknown, "\x1b[1m"));
  const std::string refused = on_terminal(folder, 80, all, {{"VTE_VERSION", "7000"}, {"FORCE_HYPERLINK", "0"}});
  CHECK_FALSE(holds(refused, link));
  CHECK_FALSE(holds(on_terminal(folder, 80, all, {{"NO_COLOR", "1"}}), "\x1b["));
  CHECK_FALSE(holds(on_terminal(folder, 80, all, {{"TERM", "dumb"}}), "\x1b"));
  CHECK_FALSE(holds(on_terminal(folder, 80, all + " --color never"), "\x1b"));
  CHECK_FALSE(holds(on_terminal(folder, 80, all + " | cat"), "\x1b"));
}
