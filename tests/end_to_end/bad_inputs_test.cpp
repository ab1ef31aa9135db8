// Tests command lines that cannot run: the error is one line that names the cause and the remedy, and the exit code is
// the documented one.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

struct BadInput {
  std::string what;
  std::vector<std::string> words;
  int exit_code;
  std::string named;  // must be in the message
};

void make_bad_things(const TempDir& folder) {
  folder.write("list.md", "[one](https://good.herd/one)\n");
  folder.write("empty.md", "");
  folder.write("linkless.md", "# Nothing here\n\nbut text\n");
  folder.write("picture.png", std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\x06\0\0\0", 30));
  folder.write("program.bin", std::string_view("\x7f"
                                               "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0\1\0\0\0",
                                               24));
  folder.write("no_lists/data.bin", std::string_view("\0\1\2\3\4\5\6\7", 8));
  folder.write("file_as_store", "this is no store");
  folder.write("other_files/notes.txt", "somebody's notes");
  folder.write("broken_store/CURRENT", "MANIFEST-000001\n");
  folder.write("broken_store/MANIFEST-000001", "not a manifest");
  folder.write("cut.pem", "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUf\n");
  folder.write("bad.toml", "timeout = \n");
  folder.write("unknown_key.toml", "time_out = \"5s\"\n");
  std::filesystem::create_directory(folder / "empty_folder");
}

void expect_one_line(const ProgramResult& result, int exit_code, const std::string& named) {
  CAPTURE(result.err);
  CAPTURE(result.out);
  CHECK(result.exit_code == exit_code);
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.starts_with("linkherd: "));
  CHECK(result.err.find(named) != std::string::npos);
  CHECK(result.err.find("terminate") == std::string::npos);
  CHECK(result.out.empty());
}

}  // namespace

TEST_CASE("every bad input is refused in one line that names it") {
  const std::vector<BadInput> rows{
      {"a missing file", {"check", "missing.md"}, 1, "missing.md"},
      {"a missing file for links", {"links", "missing.md"}, 1, "missing.md"},
      {"an empty folder", {"check", "empty_folder"}, 1, "empty_folder"},
      {"a folder without lists", {"check", "no_lists"}, 1, "no_lists"},
      {"a picture", {"check", "picture.png"}, 1, "picture.png"},
      {"a program", {"check", "program.bin"}, 1, "program.bin"},
      {"an empty list that must not be", {"check", "--fail-if-empty", "empty.md"}, 1, "no link"},
      {"a list without links that must not be", {"links", "--fail-if-empty", "linkless.md"}, 1, "no link"},
      {"a store that is a file", {"check", "--store", "file_as_store", "list.md"}, 1, "file_as_store"},
      {"a broken store", {"check", "--store", "broken_store", "list.md"}, 1, "broken_store"},
      {"a report without a store", {"report", "--store", "nowhere"}, 1, "nowhere"},
      {"a history without a store", {"history", "--store", "nowhere", "https://good.herd/"}, 1, "nowhere"},
      {"a report from a file", {"report", "--store", "file_as_store"}, 1, "file_as_store"},
      {"a page that is missing", {"metadata", "missing.html"}, 1, "missing.html"},
      {"an unknown option", {"check", "--no-such-option", "list.md"}, 3, "--no-such-option"},
      {"an unknown command", {"chek", "list.md"}, 3, "chek"},
      {"a bad duration", {"check", "--timeout", "soon", "list.md"}, 3, "--timeout"},
      {"a negative number", {"check", "--max-retries", "-1", "list.md"}, 3, "--max-retries"},
      {"a number that is none", {"check", "--max-concurrency", "many", "list.md"}, 3, "--max-concurrency"},
      {"an unknown format", {"check", "--format", "yaml", "list.md"}, 3, "--format"},
      {"an unknown health", {"check", "--fail-on", "sad", "list.md"}, 3, "--fail-on"},
      {"a bad time", {"check", "--now", "yesterday", "list.md"}, 3, "--now"},
      {"a missing certificate file", {"check", "--ca-file", "missing.pem", "list.md"}, 3, "missing.pem"},
      {"a certificate file without any", {"check", "--ca-file", "list.md", "list.md"}, 3, "list.md"},
      {"a certificate file that is cut", {"check", "--ca-file", "cut.pem", "list.md"}, 3, "cut.pem"},
      {"a scheme that is none", {"check", "--scheme", "ftpx", "list.md"}, 3, "ftpx"},
      {"a store without a name", {"check", "--store", "", "list.md"}, 3, "--store"},
      {"an output without a name", {"check", "--output=", "list.md"}, 3, "--output"},
      {"names that are none", {"check", "--index-files", ",", "list.md"}, 3, "--index-files"},
      {"a broken configuration", {"check", "--config", "bad.toml", "list.md"}, 3, "bad.toml"},
      {"an unknown setting", {"check", "--config", "unknown_key.toml", "list.md"}, 3, "time_out"},
      {"a URL that is none", {"history", "--store", "nowhere", "http://[bad"}, 3, "http://[bad"},
  };
  const TempDir folder;
  make_bad_things(folder);
  for (const BadInput& row : rows) {
    CAPTURE(row.what);
    expect_one_line(run_linkherd(folder.path(), row.words), row.exit_code, row.named);
  }
  CHECK(read_file(folder / "file_as_store") == "this is no store");
  CHECK(read_file(folder / "list.md") == "[one](https://good.herd/one)\n");
}

TEST_CASE("the linkherd.toml of a clone cannot choose files to write or hosts to contact") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  folder.write("bashrc", "mine");
  folder.write("clone/list.md", "[one](https://good.herd/one)\n");
  for (const char* setting : {"output = \"../bashrc\"", "allow_private = true", "insecure = true"}) {
    CAPTURE(setting);
    folder.write("clone/linkherd.toml", setting);
    const ProgramResult result = run_linkherd(folder / "clone", check_arguments(internet, {"--no-store", "list.md"}));
    expect_one_line(result, 3, "linkherd.toml:1: ");
    CHECK(result.err.find("--config linkherd.toml") != std::string::npos);
  }
  CHECK(read_file(folder / "bashrc") == "mine");
  CHECK(internet.requests().empty());
}

TEST_CASE("an offline run sends no request") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  folder.write("list.md", "[one](https://good.herd/one) [two](list.md)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--offline", "--format", "jsonl", "list.md"}));
  CHECK(result.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(line_of(lines, "https://good.herd/one").reason == "offline");
  CHECK(line_of(lines, "https://good.herd/one").health == "skipped");
  CHECK(line_of(lines, "list.md").health == "alive");
  CHECK(internet.requests().empty());
  CHECK(internet.dns_queries().empty());
}

TEST_CASE("a deleted list or a list without links is no error") {
  const TempDir folder;
  make_bad_things(folder);
  const ProgramResult nothing = run_linkherd(folder.path(), {"check", "linkless.md"});
  CHECK(nothing.exit_code == 0);
  CHECK(last_line(nothing.err) == "linkherd: nothing to check: there is no link in the input");
  const ProgramResult deleted = run_linkherd(folder.path(), {"check", "--skip-missing", "deleted.md", "linkless.md"});
  CHECK(deleted.exit_code == 0);
  CHECK(deleted.err.find("skipped deleted.md: does not exist") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / ".linkherd"));
}

TEST_CASE("input names are read as git quotes them") {
  const TempDir folder;
  for (const char* name : {"\u4E2D\u6587.md", "#notes.md", " blank.md", "a\"b.md"})
    folder.write(name, "[x](gone.md)\n");
  folder.write("names", "\"\\344\\270\\255\\346\\226\\207.md\"\n# a comment\n#notes.md\r\n blank.md\n\"a\\\"b.md\"\n");
  const ProgramResult result = run_linkherd(folder.path(), {"links", "--format", "jsonl", "--files-from", "names"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(json_lines(result.out).size() == 4);
}

TEST_CASE("unreadable standard input is not taken for an empty one") {
  const TempDir folder;
  for (const char* command : {"exec \"$0\" check --no-store - < .", "exec \"$0\" check --no-store --files-from - < .",
                              "exec \"$0\" check --no-store - <&-"}) {
    CAPTURE(command);
    ProgramOptions options = linkherd_options(folder.path(), {"-c", command, LINKHERD_PROGRAM});
    const ProgramResult result = run_program("/bin/sh", options);
    CHECK(result.exit_code == 1);
    CHECK(last_line(result.err).find("standard input cannot be read") != std::string::npos);
  }
}

TEST_CASE("a folder without lists does not prevent the check of other inputs") {
  const TempDir folder;
  folder.write("good.md", "[x](good.md)\n");
  folder.write("empty/data.json", "{}");
  const ProgramResult result =
      run_linkherd(folder.path(), {"check", "--no-store", "--format", "jsonl", "empty", "*.nothing", "good.md"});
  CHECK(result.exit_code == 1);
  CHECK(json_lines(result.out).size() == 1);
  CHECK(result.err.find("empty contains no readable document") != std::string::npos);
  CHECK(result.err.find("*.nothing matches no document") != std::string::npos);
}

TEST_CASE("a pipe instead of a certificate or log is refused at once") {
  const TempDir folder;
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  folder.write("list.md", "[x](list.md)\n");
  CHECK(run_linkherd(folder.path(), {"check", "--no-store", "--client-cert", "pipe", "list.md"}).exit_code == 3);
  CHECK(run_linkherd(folder.path(), {"check", "--no-store", "--log-file", "pipe", "list.md"}).exit_code == 1);
  CHECK(run_linkherd(folder.path(), {"check", "--no-store", "--log-file", "new/log", "list.md"}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
}

TEST_CASE("a folder with foreign files does not become a store") {
  const TempDir folder;
  make_bad_things(folder);
  const ProgramResult result = run_linkherd(folder.path(), {"report", "--store", "other_files"});
  CHECK(result.exit_code == 1);
  CHECK(read_file(folder / "other_files/notes.txt") == "somebody's notes");
}

TEST_CASE("a store in use by another run is named and left alone") {
  const TempDir folder;
  SmallInternet internet;
  Page page;
  page.delivery = Delivery::silence;
  internet.host("good.herd").default_page(page);
  folder.write("list.md", "[one](https://good.herd/one)\n");
  const std::vector<std::string> words =
      check_arguments(internet, {"--timeout", "100s", "--store", "store", "list.md"});
  const RunningProgram first = start_linkherd(folder.path(), words);
  REQUIRE(internet.wait_for_requests(1, std::chrono::seconds(60)));
  expect_one_line(run_linkherd(folder.path(), words), 1, "store");
  CHECK(internet.requests().size() == 1);
}

TEST_CASE("NULs and invalid UTF-8 in a list hide no other link") {
  using namespace std::string_literals;
  const TempDir folder;
  std::string list = "- [one](https://good.herd/one)\n";
  list += "\0\0 bytes \xff\xfe\xc3\x28 \xed\xa0\x80\n"s;
  list += "- [two](https://good.herd/two) \xe4\xb8\n";
  list += "- [th\0ree](https://good.herd/three)\n"s;
  folder.write("list.md", list);
  folder.write("list.txt", list);
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  for (const char* file : {"list.md", "list.txt"}) {
    CAPTURE(file);
    const ProgramResult result =
        run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", file}));
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    for (const char* url : {"https://good.herd/one", "https://good.herd/two", "https://good.herd/three"}) {
      CHECK(line_of(lines, url).health == "alive");
    }
  }
}
