// Every example of README.md is run, as it stands there, against a small internet.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"
#include "tests/support/run_program.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::filesystem::path source_folder = LINKHERD_SOURCE_DIR;
const std::filesystem::path program = LINKHERD_PROGRAM;

// The text of every fenced block of that language.
std::vector<std::string> blocks_of(const std::string& markdown, const std::string& language) {
  std::vector<std::string> blocks;
  std::istringstream lines(markdown);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + '\n';
    } else if (line == "```" + language) {
      inside = true;
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<std::string> commands_of(const std::string& markdown) {
  std::vector<std::string> commands;
  for (const std::string& block : blocks_of(markdown, "console")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    }
  }
  return commands;
}

// The folder in which a reader of README.md would stand: lists, a saved page, and settings that lead into the small
// internet.
struct ReadersFolder {
  TempDir folder;
  SmallInternet internet;

  ReadersFolder() {
    internet.host("good.herd").page("/guide", html_page("<title>A guide</title><h1 id=install>A guide</h1>"));
    internet.host("good.herd").page("/old-guide", redirect_page(301, "/guide"));
    folder.write("README.md", "# A project\n\n[the guide](https://good.herd/guide#install)\n");
    folder.write("docs/links.md", "- [guide](https://good.herd/guide)\n- [old guide](https://good.herd/old-guide)\n");
    folder.write("saved/guide.html", "<title>A guide</title><h1>A guide</h1>");
    std::string settings = "allow_private = true\nhost_request_interval = \"1ms\"\ndns_server = [\"" +
                           internet.dns_server() + "\"]\nca_file = \"" + internet.ca_file() + "\"\nconnect_to = [";
    for (const std::string& mapping : internet.connect_to()) settings += "\"" + mapping + "\", ";
    folder.write("users_settings/linkherd/linkherd.toml", settings + "]\n");
  }

  ProgramResult run(const std::string& command) const {
    ProgramOptions options = linkherd_options(folder.path(), {"-c", command});
    options.environment["PATH"] = program.parent_path().string() + ":/usr/bin:/bin";
    return run_program("/bin/sh", options);
  }
};

}  // namespace

TEST_CASE("every command of README.md does what it says") {
  const std::vector<std::string> commands = commands_of(read_file(source_folder / "README.md"));
  REQUIRE(commands.size() >= 8);
  const ReadersFolder reader;
  for (const std::string& command : commands) {
    CAPTURE(command);
    const ProgramResult result = reader.run(command);
    CAPTURE(result.err);
    const auto has = [&command](const char* word) { return command.find(word) != std::string::npos; };
    CHECK(result.exit_code == (has("fix --dry-run") ? 2 : 0));                      // there is something to change
    if (has("--changes-only")) continue;                                            // tells what there is to tell
    CHECK(result.out.empty() == (has(" -q") || has("--output") || has("--only")));  // nothing is unsettled here
  }
}

TEST_CASE("the workflow of README.md fails a pull request for what it breaks itself") {
  // The other blocks of YAML are tests/packaging/ci_templates_test.py's.
  const std::vector<std::string> blocks = blocks_of(read_file(source_folder / "README.md"), "yaml");
  const std::string step = "      - run: ";
  const auto block =
      std::ranges::find_if(blocks, [&step](const std::string& text) { return text.find(step) != std::string::npos; });
  REQUIRE(block != blocks.end());
  const std::size_t at = block->find(step);
  const std::string command = block->substr(at + step.size(), block->find('\n', at) - at - step.size());
  const ReadersFolder reader;
  const auto git = [&reader](std::vector<std::string> words) { git_in(reader.folder.path(), std::move(words)); };
  const auto run = [&] {
    return reader.run("export GITHUB_ACTIONS=true GITHUB_BASE_REF=main GITHUB_STEP_SUMMARY=summary; " + command);
  };
  reader.folder.write("docs/old.md", "[was broken before](nowhere.md)\n");
  git({"init", "-q"});
  git({"add", "README.md", "docs"});
  git({"commit", "-q", "-m", "base"});
  git({"update-ref", "refs/remotes/origin/main", "HEAD"});
  reader.folder.write("docs/new.md", "[guide](https://good.herd/guide)\n");
  git({"add", "docs"});
  git({"commit", "-q", "-m", "a page"});
  const ProgramResult fine = run();
  CAPTURE(fine.err);
  CHECK(fine.exit_code == 0);
  CHECK(fine.out.find("::error") == std::string::npos);
  CHECK(read_file(reader.folder / "summary").find("## linkherd: ") == 0);
  git({"rm", "-q", "docs/links.md"});
  reader.folder.write("docs/new.md", "[guide](https://good.herd/giude) [list](links.md)\n");
  const ProgramResult broken = run();
  CHECK(broken.exit_code == 2);
  CHECK(broken.out.find("::error file=docs/new.md,line=1,col=9") != std::string::npos);
  CHECK(broken.out.find("broken by this change, which removes docs/links.md") != std::string::npos);
}

TEST_CASE("the settings of README.md are settings") {
  const std::vector<std::string> blocks = blocks_of(read_file(source_folder / "README.md"), "toml");
  REQUIRE(blocks.size() == 4);
  const ReadersFolder reader;
  for (const std::string& block : blocks) {
    reader.folder.write("linkherd.toml", block);
    const ProgramResult result = reader.run("linkherd check docs/");
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("the set-up commands of README.md are those of bootstrap") {
  const std::string bootstrap = read_file(source_folder / "bootstrap");
  std::istringstream lines(blocks_of(read_file(source_folder / "README.md"), "sh").at(0));
  int commands = 0;
  for (std::string line; std::getline(lines, line); ++commands) {
    std::istringstream words(line);
    std::string name;
    std::string argument;
    words >> name >> argument;
    CHECK(name == "./bootstrap");
    CHECK(bootstrap.find("usage: ./bootstrap run") != std::string::npos);
    CHECK(bootstrap.find("\n  " + argument + ")\n") != std::string::npos);
  }
  CHECK(commands == 2);
}
