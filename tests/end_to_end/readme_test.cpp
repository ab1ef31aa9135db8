// Runs every example of README.md and docs/ unchanged against a SmallInternet.
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

// Returns the texts of all fenced blocks of that language.
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

// README.md and the pages in docs/.
std::vector<std::filesystem::path> documents() {
  std::vector<std::filesystem::path> all{source_folder / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

// A folder as a reader would have it: lists, a saved page, and a configuration that leads to the small internet.
struct ReadersFolder {
  TempDir folder;
  SmallInternet internet;

  ReadersFolder() {
    internet.host("good.herd").page("/guide", html_page("<title>A guide</title><h1 id=install>A guide</h1>"));
    internet.host("good.herd").page("/old-guide", redirect_page(301, "/guide"));
    folder.write("README.md", "# A project\n\n[the guide](https://good.herd/guide#install)\n");
    folder.write("docs/links.md", "- [guide](https://good.herd/guide)\n- [old guide](https://good.herd/old-guide)\n");
    folder.write("saved/guide.html", "<title>A guide</title><h1>A guide</h1>");
    std::string settings =
        "allow_private = true\nbrowser_no_sandbox = true\nhost_request_interval = \"1ms\"\ndns_server = [\"" +
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

TEST_CASE("every command in README.md and docs does what its page says") {
  std::size_t count = 0;
  for (const std::filesystem::path& document : documents()) {
    CAPTURE(document);
    const ReadersFolder reader;
    const std::string name = document.filename().string();
    if (name != "README.md" && name != "getting-started.md") {  // readers of the other pages have already run a check
      REQUIRE(reader.run("linkherd check docs/").exit_code == 0);
      REQUIRE(reader.run("linkherd export --format warc --output pages.warc.gz").exit_code == 0);
    }
    for (const std::string& command : commands_of(read_file(document))) {
      CAPTURE(command);
      ++count;
      const ProgramResult result = reader.run(command);
      CAPTURE(result.err);
      const auto has = [&command](const char* word) { return command.find(word) != std::string::npos; };
      CHECK(result.exit_code == (has("fix --dry-run") ? 2 : 0));  // `fix` has something to change
      if (has("--changes-only") || has("store ")) continue;       // these commands print only news
      const bool is_silent = has(" -q") || has("--output") || has(" -o ") || has("--only") || has(" > ");
      CHECK(result.out.empty() == is_silent);
    }
  }
  CHECK(count > 50);
}

TEST_CASE("every setting in README.md and docs exists") {
  std::size_t count = 0;
  for (const std::filesystem::path& document : documents()) {
    CAPTURE(document);
    for (const std::string& block : blocks_of(read_file(document), "toml")) {
      const ReadersFolder reader;
      reader.folder.write("linkherd.toml", block);
      const ProgramResult result = reader.run("linkherd check docs/");
      CAPTURE(block);
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
      ++count;
    }
  }
  CHECK(count == 7);
}

TEST_CASE("init --ci writes the files that the documents show") {
  const ReadersFolder reader;
  run_git(reader.folder.path(), {"init", "-q"});
  struct Row {
    std::string service, file, document;
  };
  for (const Row& row : {Row{"github", ".github/workflows/links.yml", "README.md"},
                         {"gitlab", ".gitlab-ci.yml", "docs/ci.md"},
                         {"pre-commit", ".pre-commit-config.yaml", "docs/ci.md"}}) {
    CAPTURE(row.service);
    const std::string command = "linkherd init --ci " + row.service;
    const std::string printed = reader.run(command + " --dry-run").out;
    CHECK(std::ranges::count(blocks_of(read_file(source_folder / row.document), "yaml"), printed) == 1);
    CHECK(printed.find("docs/") == std::string::npos);  // not every repository has this folder
    const ProgramResult first = reader.run("cd docs && " + command);
    CHECK(first.exit_code == 0);
    CHECK(first.out.find("Replace OWNER") != std::string::npos);
    CHECK(read_file(reader.folder / row.file) == printed);
    reader.folder.write(row.file, "# mine\n");
    const ProgramResult again = reader.run(command);
    CHECK(again.exit_code == 3);
    CHECK(again.err.find("exists: use --force") != std::string::npos);
    CHECK(read_file(reader.folder / row.file) == "# mine\n");
    CHECK(reader.run(command + " --force").exit_code == 0);
    CHECK(read_file(reader.folder / row.file) == printed);
  }
  const TempDir outside;
  std::filesystem::remove_all(reader.folder / ".github");
  std::filesystem::create_directory_symlink(outside.path(), reader.folder / ".github");
  CHECK(reader.run("linkherd init --ci github").exit_code == 3);
  CHECK(std::filesystem::is_empty(outside.path()));
}

TEST_CASE("README.md is short and links every page of docs") {
  const std::string readme = read_file(source_folder / "README.md");
  CHECK(std::ranges::count(readme, '\n') <= 240);
  for (const std::filesystem::path& document : documents()) {
    if (document.parent_path().filename() != "docs") continue;
    CHECK_MESSAGE(readme.find("(docs/" + document.filename().string() + ")") != std::string::npos, document);
  }
}

TEST_CASE("the set-up commands of README.md equal those of bootstrap") {
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
