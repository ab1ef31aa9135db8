// Tests the output of commands: formats chosen by file extension, exit codes of reports, and annotations of failures.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

namespace fs = std::filesystem;

// A list with a dead link, checked once.
struct Checked {
  TempDir folder;
  SmallInternet internet;

  Checked() {
    internet.host("good.herd").page("/here", html_page("<title>Here</title><h1>Here</h1><p>Text."));
    internet.host("good.herd").page("/gone", status_page(404));
    folder.write("list.md", "- [Here;=1+1](https://good.herd/here)\n- [gone](https://good.herd/gone)\n");
    CHECK(check({}).exit_code == 2);
  }
  ProgramResult check(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", "store", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", "store"});
    return run_linkherd(folder.path(), words);
  }
  std::string file(const std::string& name) const { return read_file(folder / name); }
};

// Splits CSV as RFC 4180 defines it.
std::vector<std::vector<std::string>> csv_rows(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool is_quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& cell = rows.back().back();
    if (csv[i] == '"') {
      const bool is_doubled = is_quoted && csv.substr(i).starts_with("\"\"");
      if (is_doubled) cell += csv[i++];
      if (!is_doubled) is_quoted = !is_quoted;
    } else if (!is_quoted && csv[i] == ',') {
      rows.back().emplace_back();
    } else if (!is_quoted && csv.substr(i).starts_with("\r\n")) {
      rows.emplace_back(1);
      ++i;
    } else {
      cell += csv[i];
    }
  }
  rows.pop_back();
  return rows;
}

ProgramResult run_in_shell(const fs::path& folder, const std::string& script) {
  ProgramOptions options = linkherd_options(folder, {"-c", script});
  options.environment["PATH"] = fs::path(LINKHERD_PROGRAM).parent_path().string() + ":/usr/bin:/bin";
  return run_program("/bin/sh", options);
}

// Returns the output of `linkherd init` with each setting set to its default instead of commented out.
std::string settings_of_init(const fs::path& folder) {
  const std::string text = run_linkherd(folder, {"init", "--dry-run"}).out;
  std::string settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    const std::string key = equals == std::string::npos ? "" : line.substr(0, equals);
    const bool is_setting =
        key.starts_with("# ") && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 2) == std::string::npos;
    settings += (is_setting ? line.substr(2) : line) + "\n";
  }
  return settings;
}

// Returns the full names of all commands, as listed in the manual page of linkherd.
std::vector<std::string> all_commands(const fs::path& folder) {
  std::vector<std::string> names;
  std::istringstream lines(run_linkherd(folder, {"man"}).out);
  const std::string mark = ".It Ic ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) names.push_back(line.substr(mark.size()));
  }
  return names;
}

std::string name_of(const std::vector<std::string>& call) {
  const bool is_grouped = call.front() == "store" || call.front() == "broker";
  return is_grouped ? call[0] + " " + call[1] : call.front();
}

}  // namespace

TEST_CASE("a discovered linkherd.toml that is valid for check stops no other command") {
  const Checked checked;
  checked.folder.write("page.html", "<title>A page</title>");
  const std::string settings = settings_of_init(checked.folder.path());
  CHECK(holds(settings, "\nfail_on = "));
  CHECK(holds(settings, "\ntimeout = "));
  const std::string nowhere = "amqp://127.0.0.1:1/x";
  const std::vector<std::vector<std::string>> calls{
      {"check", "--offline", "list.md"},
      {"broker", "plan", "--broker", nowhere, "list.md"},
      {"broker", "worker", "--broker", nowhere, "--log-file", "missing/log"},  // else it would wait for the broker
      {"broker", "collect", "--broker", nowhere},
      {"broker", "status", "--broker", nowhere},
      {"fix", "--dry-run", "--offline", "list.md"},
      {"links", "list.md"},
      {"url", "https://good.herd/"},
      {"metadata", "page.html"},
      {"report"},
      {"history", "https://good.herd/here"},
      {"export"},
      {"runs"},
      {"store", "info"},
      {"store", "compact"},
      {"store", "forget", "https://good.herd/never"},
      {"store", "verify"},
      {"store", "backup", "copies"},
      {"store", "restore", "copies"},
      {"store", "merge", "other"},
      {"rules"},
      {"accept", "https://good.herd/gone", "--until", "2099-01-01", "--reason", "known"},
      {"init", "--dry-run"},
      {"schema"},
      {"completions", "bash"},
      {"man"},
      {"help"},
      {"version"}};
  const std::vector<std::string> names = all_commands(checked.folder.path());
  CHECK(names.size() == calls.size());
  for (const char* const format : {"html", "csv"}) {
    for (const std::vector<std::string>& call : calls) {
      CAPTURE(name_of(call));
      CHECK(std::ranges::find(names, name_of(call)) != names.end());
      checked.folder.write("linkherd.toml", "format = \"" + std::string(format) + "\"\n" + settings);
      const ProgramResult result = run_linkherd(checked.folder.path(), call);
      CAPTURE(result.err);
      CHECK(result.exit_code != 3);
      CHECK_FALSE(holds(result.err, "linkherd.toml:"));
    }
  }
}

TEST_CASE("the file column of a CSV report parses back to the file name") {
  const TempDir folder;
  const std::set<std::string> names{"plain name.md", "a\nb.md",       "a b.md",    "=x.md",     "'=x.md",
                                    "+1.md",         "a;=b.md",       " lead.md",  "two  b.md", "quo\"te.md",
                                    "\"all\".md",    "back\\s.md",    "a\xff.md",  "a\\xFF.md", "a\\x5CxFF.md",
                                    "c\t,d.md",      "bidi\u202e.md", "\u00e4.md", "##[x].md"};
  int links = 0;
  for (const std::string& name : names) folder.write(name, fmt::format("[a](missing{}.txt)\n", ++links));
  const auto files_in = [](const std::string& csv) {
    const auto rows = csv_rows(csv);
    const auto column = std::ranges::find(rows.at(0), "file") - rows.at(0).begin();
    std::vector<std::string> files;
    for (std::size_t i = 1; i < rows.size(); ++i) files.push_back(rows[i].at(static_cast<std::size_t>(column)));
    std::ranges::sort(files);
    return files;
  };
  const ProgramResult all = run_linkherd(folder.path(), {"check", "--offline", "--format", "csv", "."});
  CAPTURE(all.out);
  const std::vector<std::string> files = files_in(all.out);
  CHECK(files.size() == names.size());
  CHECK(std::set<std::string>(files.begin(), files.end()).size() == names.size());
  for (const std::string& file : files) {
    CAPTURE(file);
    folder.write("names.txt", file + "\n");
    const ProgramResult one =
        run_linkherd(folder.path(), {"check", "--offline", "--format", "csv", "--files-from", "names.txt"});
    CAPTURE(one.err);
    CHECK(one.exit_code == 2);
    CHECK(files_in(one.out) == std::vector<std::string>{file});
  }
}

TEST_CASE("inputs are read from a pipe as in process substitution") {
  const TempDir folder;
  folder.write("a.md", "[a](missing.txt)\n");
  for (const char* const pipe : {"/dev/stdin", "/dev/fd/9", "/proc/self/fd/9", "-"}) {
    CAPTURE(pipe);
    const ProgramResult result =
        run_in_shell(folder.path(),
                     fmt::format("printf 'a.md\\n' | sh -c 'exec linkherd check --offline --format csv --files-from {} "
                                 "9<&0'",
                                 pipe));
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(holds(result.out, ",a.md,1,"));
  }
}

TEST_CASE("a format instead of a file is refused with a correction") {
  const Checked checked;
  for (const char* const word : {"html", ".html", "csv", ".md", "sarif", "junit", ".xml"}) {
    CAPTURE(word);
    const ProgramResult result = checked.run({"report", "-o", word});
    CHECK(result.exit_code == 3);
    CHECK(holds(result.err, std::string(word) + " is a format, not a file: --format "));
    CHECK_FALSE(fs::exists(checked.folder / word));
  }
  CHECK(checked.run({"report", "-o", "./html"}).exit_code == 0);
  CHECK(fs::exists(checked.folder / "html"));
  for (const char* const word : {"csv", ".bib", "warc", ".warc"}) {
    CAPTURE(word);
    CHECK(checked.run({"export", "-o", word}).exit_code == 3);
    CHECK_FALSE(fs::exists(checked.folder / word));
  }
  CHECK(checked.run({"export", "-o", ".hidden"}).exit_code == 0);
}

TEST_CASE("check warns that an offline run does not change the given store") {
  const TempDir folder;
  folder.write("list.md", "[a](list.md)\n");
  const std::string said = "--offline does not change the store kept";
  const ProgramResult named = run_linkherd(folder.path(), {"check", "--offline", "--store", "kept", "list.md"});
  CHECK(named.exit_code == 0);
  CHECK(holds(named.err, said));
  CHECK_FALSE(fs::exists(folder / "kept"));
  CHECK(run_linkherd(folder.path(), {"check", "-q", "--offline", "--store", "kept", "list.md"}).err.empty());
  // A setting for all runs says nothing about this one.
  folder.write("named.toml", "store = \"kept\"\n");
  const ProgramResult usual = run_linkherd(folder.path(), {"check", "--offline", "--config", "named.toml", "list.md"});
  CHECK(usual.exit_code == 0);
  CHECK_FALSE(holds(usual.err, said));
}

TEST_CASE("fix warns that an offline run does not change the given store") {
  const TempDir folder;
  folder.write("list.md", "[a](list.md)\n");
  const std::string said = "--offline does not change the store kept";
  const ProgramResult named = run_linkherd(folder.path(), {"fix", "--offline", "--store", "kept", "list.md"});
  CHECK(named.exit_code == 0);
  CHECK(holds(named.err, said));
  CHECK_FALSE(fs::exists(folder / "kept"));
  CHECK(run_linkherd(folder.path(), {"fix", "-q", "--offline", "--store", "kept", "list.md"}).err.empty());
  folder.write("named.toml", "store = \"kept\"\n");
  const ProgramResult usual = run_linkherd(folder.path(), {"fix", "--offline", "--config", "named.toml", "list.md"});
  CHECK(usual.exit_code == 0);
  CHECK_FALSE(holds(usual.err, said));
}

TEST_CASE("a setting with values for another command does not stop this one") {
  const Checked checked;
  checked.folder.write("linkherd.toml", "format = \"sarif\"\n");
  const ProgramResult usual = checked.run({"export"});
  CAPTURE(usual.err);
  CHECK(usual.exit_code == 0);
  CHECK(checked.run({"runs"}).exit_code == 0);
  CHECK(checked.run({"history", "https://good.herd/here"}).exit_code == 0);
  CHECK(checked.run({"report"}).out.starts_with("{\"$schema\""));
  checked.folder.write("linkherd.toml", "format = \"bibtex\"\n");
  CHECK(checked.run({"report"}).out.starts_with("1 of 2 links"));
  CHECK(checked.run({"export"}).out != usual.out);
  checked.folder.write("linkherd.toml", "format = \"sariff\"\n");
  const ProgramResult wrong = checked.run({"export"});
  CHECK(wrong.exit_code == 3);
  CHECK(holds(wrong.err, "sariff is not one of"));
}

TEST_CASE("a report takes its format from the file extension unless a format is given") {
  const Checked checked;
  struct Row {
    std::string file, begin;
  };
  for (const Row& row : {Row{"r.html", "<!doctype html>"},
                         {"r.HTM", "<!doctype html>"},
                         {"r.csv", "section,level,"},
                         {"r.json", "{\"schema\""},
                         {"r.jsonl", "{\""},
                         {"r.ndjson", "{\""},
                         {"r.md", "## linkherd: "},
                         {"r.markdown", "## linkherd: "},
                         {"r.xml", "<?xml version="},
                         {"r.sarif", "{\"$schema\""},
                         {"r.sarif.json", "{\"$schema\""},
                         {"r.txt", "1 of 2 links"},
                         {"report", "1 of 2 links"}}) {
    CAPTURE(row.file);
    const ProgramResult report = checked.run({"report", "-o", row.file});
    CHECK(report.exit_code == 0);
    const std::string text = checked.file(row.file);
    CAPTURE(text);
    CHECK(text.starts_with(row.begin));
    CHECK(checked.run({"report", "--format", "json", "--output", row.file}).exit_code == 0);
    CHECK(checked.file(row.file).starts_with("{\"schema\""));
    CHECK(checked.run({"report", "--output", "csv:" + row.file}).exit_code == 0);
    CHECK(checked.file(row.file).starts_with("section,level,"));
  }
  CHECK(checked.check({"-o", "c.html", "-o", "c.xml"}).exit_code == 2);
  CHECK(checked.file("c.html").starts_with("<!doctype html>"));
  CHECK(checked.file("c.xml").starts_with("<?xml"));
  // The command line takes precedence over the configuration file for this output.
  checked.folder.write("linkherd.toml", "format = \"markdown\"\n");
  CHECK(checked.run({"report", "-o", "s.html", "-o", "s"}).exit_code == 0);
  CHECK(checked.file("s.html").starts_with("<!doctype html>"));
  CHECK(checked.file("s").starts_with("## linkherd: "));
  fs::remove(checked.folder / "linkherd.toml");

  for (const Row& row : {Row{"e.csv", "key,listed_title,"}, {"e.json", "{\"schema\""}, {"e.bib", "@"}, {"e.md", ""}}) {
    CAPTURE(row.file);
    CHECK(checked.run({"export", "-o", row.file}).exit_code == 0);
    CHECK(checked.file(row.file).starts_with(row.begin));
  }
  CHECK(holds(checked.file("e.md"), "](https://good.herd/here)"));
  CHECK(checked.run({"export", "-o", "e.warc"}).exit_code == 0);
  CHECK(checked.file("e.warc").starts_with("WARC/1.1"));
}

TEST_CASE("a written report exits with 0 unless --fail-on is given") {
  const Checked checked;
  const ProgramResult report = checked.run({"report"});
  CHECK(report.exit_code == 0);
  CHECK(last_line(report.err) == "linkherd: 1 broken link");
  const ProgramResult quiet = checked.run({"report", "-q"});
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  CHECK(checked.run({"report", "--fail-on", "dead"}).exit_code == 2);
  CHECK(checked.run({"report", "--fail-on", "insecure"}).exit_code == 0);
  CHECK(checked.run({"report", "--fail-on", "none"}).exit_code == 0);
  checked.folder.write("linkherd.toml", "fail_on = [\"dead\"]\n");
  CHECK(checked.run({"report"}).exit_code == 0);
  CHECK(checked.check({}).exit_code == 2);
}

TEST_CASE("a title cannot start a formula in CSV or TSV output") {
  const Checked checked;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "--format", "csv"}, {"export", "--format", "csv"}}) {
    const std::string csv = checked.run(words).out;
    CAPTURE(csv);
    CHECK(holds(csv, "\"Here;'=1+1\""));
  }
  checked.folder.write("page.html", "<title>Here;=1+1</title>");
  CHECK(holds(run_linkherd(checked.folder.path(), {"metadata", "--format", "csv", "page.html"}).out, "\"Here;'=1+1\""));
}

TEST_CASE("failures in GitHub Actions become annotations") {
  const TempDir folder;
  folder.write("list.md", "[a](https://good.herd/100%25)\n");
  struct Row {
    std::vector<std::string> words;
    int exit_code;
  };
  for (const Row& row : std::vector<Row>{{{"check", "--offline", "none%.md"}, 1},
                                         {{"check", "--bogus"}, 3},
                                         {{"report", "--store", "none"}, 1},
                                         {{"links", "--config", "none.toml", "list.md"}, 3},
                                         {{"links", "list.md"}, 0}}) {
    CAPTURE(row.words.front());
    ProgramOptions options = linkherd_options(folder.path(), row.words);
    const ProgramResult outside = run_program(LINKHERD_PROGRAM, options);
    CHECK_FALSE(holds(outside.err, "::error"));
    options.environment["GITHUB_ACTIONS"] = "true";
    const ProgramResult result = run_program(LINKHERD_PROGRAM, options);
    CAPTURE(result.err);
    CHECK(result.exit_code == row.exit_code);
    std::string annotation;
    if (row.exit_code != 0) annotation = "::error title=linkherd::" + last_line(outside.err).substr(10) + "\n";
    if (const std::size_t percent = annotation.find('%'); percent != std::string::npos)
      annotation.insert(percent + 1, "25");
    CHECK(result.err == outside.err + annotation);
  }
}

TEST_CASE("a report from a damaged store names the loss and does not succeed") {
  const Checked checked;
  // Without the published state, the report is made from the database. One table after the other is lost.
  fs::remove_all(checked.folder / "store/reports");
  std::size_t lost = 0;
  for (const auto& entry : fs::directory_iterator(checked.folder / "store/db")) {
    if (entry.path().extension() != ".sst") continue;
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    fs::remove_all(checked.folder / "damaged");
    fs::copy(checked.folder / "store", checked.folder / "damaged", fs::copy_options::recursive);
    fs::remove(checked.folder / "damaged/db" / name);
    const ProgramResult report =
        run_linkherd(checked.folder.path(), {"report", "--store", "damaged", "--format", "jsonl"});
    CAPTURE(report.err);
    CAPTURE(report.out);
    const bool has_all = holds(report.out, "\"health\":\"dead\"") && json_lines(report.out).size() == 2;
    CHECK((has_all || report.exit_code == 1 || report.exit_code == 4));
    if (report.exit_code != 0) ++lost;
    if (report.exit_code == 0) CHECK_FALSE(holds(last_line(report.err), "nothing broken"));
  }
  CHECK(lost > 0);
}
