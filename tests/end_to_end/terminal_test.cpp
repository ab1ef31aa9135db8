// The text report on a terminal: wrapped at its width, with colours and hyperlinks where they are wanted.
#include <cstddef>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "reports/text_writer.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// What the program writes to a terminal of so many columns.
std::string on_terminal(const TempDir& folder, int columns, const std::string& words) {
  const std::string command =
      "stty cols " + std::to_string(columns) + "; " + LINKHERD_PROGRAM + " check --offline --no-store " + words;
  ProgramOptions options = linkherd_options(folder.path(), {"-qec", command, "/dev/null"});
  options.environment["FORCE_HYPERLINK"] = "1";
  options.environment["NO_COLOR"] = "";
  return run_program("/usr/bin/script", options).out;
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

}  // namespace

TEST_CASE("the text report keeps to the width of the terminal") {
  const TempDir folder;
  std::string list;
  for (int i = 0; i < 60; ++i)
    list += "- [已失效的教程 and a rather long name of it](docs/a/long/path/教程-" + std::to_string(i) + ".md)\n";
  folder.write("list.md", list + "- [web](https://web.herd/)\n");
  for (const int columns : {40, 80, 200}) {
    CAPTURE(columns);
    const std::string text = on_terminal(folder, columns, "list.md");
    CAPTURE(text);
    CHECK(text.find("\x1b[1m") != std::string::npos);
    std::istringstream lines(without_escapes(text));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      CHECK(linkherd::reports::display_width(line) <= static_cast<std::size_t>(columns));
    CHECK(count >= 35);
    CHECK(count <= 42);  // with the line on stderr, which may be wrapped
  }
  const std::string all = on_terminal(folder, 80, "--all list.md");
  CHECK(all.find(";https://web.herd/\x1b\\https://web.herd/\x1b]8;;\x1b\\") != std::string::npos);
  const std::string plain = on_terminal(folder, 80, "--all --color never list.md");
  CHECK(plain.find('\x1b') == std::string::npos);
}
