// Tests the folder of the store in practice. Files of users are not touched, and a store that others supply is not
// trusted. Damage affects only the damaged data. A report replaces its file completely or not at all.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

namespace fs = std::filesystem;

struct OnePage {
  TempDir folder;
  SmallInternet internet;

  OnePage() {
    folder.write("list.md", "[page](http://good.herd/page)\n");
    internet.host("good.herd").default_page(html_page("<title>Page</title>"));
  }
  ProgramResult check(const std::vector<std::string>& words) const {
    std::vector<std::string> all = words;
    all.emplace_back("list.md");
    return run_linkherd(folder.path(), check_arguments(internet, all));
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_linkherd(folder.path(), words); }
};

bool wait_for_request(const SmallInternet& internet, const std::string& host, const std::string& target) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (internet.count(host, target) == 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Turns the folder into a repository that tracks these files.
void make_repository(const fs::path& folder, const std::vector<std::string>& tracked) {
  git_libgit2_init();
  git_repository* repository = nullptr;
  REQUIRE(git_repository_init(&repository, folder.c_str(), 0) == 0);
  git_index* index = nullptr;
  REQUIRE(git_repository_index(&index, repository) == 0);
  for (const std::string& file : tracked) REQUIRE(git_index_add_bypath(index, file.c_str()) == 0);
  REQUIRE(git_index_write(index) == 0);
  git_index_free(index);
  git_repository_free(repository);
}

std::vector<fs::path> files_like(const fs::path& folder, std::string_view part) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (holds(entry.path().filename().string(), part)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a store with links out of a repository overwrites nothing and makes no link alive") {
  OnePage site;
  const fs::path mine = site.folder.write("victim/year/report.txt", "mine");
  const fs::path repository = site.folder / "repository";
  site.folder.write("repository/list.md", "[page](http://good.herd/page)\n");
  site.folder.write("repository/.linkherd/db/.keep", "");
  fs::create_directory_symlink("../../victim", repository / ".linkherd" / "reports");
  SUBCASE("tracked by git") { make_repository(repository, {"list.md", ".linkherd/reports", ".linkherd/db/.keep"}); }
  SUBCASE("outside a repository") {}
  const ProgramResult result = run_linkherd(repository, check_arguments(site.internet, {"list.md"}));
  CAPTURE(result.err);
  CHECK(read_file(mine) == "mine");
  CHECK(std::distance(fs::directory_iterator(site.folder / "victim"), {}) == 1);
}

TEST_CASE("a user's own reports beside a store are kept") {
  OnePage site;
  const std::vector<fs::path> mine = {site.folder.write("results/reports/monday.json", "mine"),
                                      site.folder.write("results/reports/checkpoint-500/model.bin", "mine")};
  const ProgramResult refused = site.check({"--store", "results"});
  CHECK(refused.exit_code == 1);
  CHECK(holds(last_line(refused.err), "would be in a folder that contains other files; use --store with a new folder"));
  CHECK(std::distance(fs::directory_iterator(site.folder / "results"), {}) == 1);

  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  fs::rename(site.folder / "results" / "reports" / "checkpoint-500", site.folder / "store/reports/checkpoint-500");
  site.folder.write("store/reports/monday.json", "mine");
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  CHECK(read_file(site.folder / "store/reports/checkpoint-500/model.bin") == "mine");
  CHECK(read_file(site.folder / "store/reports/monday.json") == "mine");
  CHECK(read_file(mine.front()) == "mine");
}

TEST_CASE("no output is written into a store") {
  OnePage site;
  REQUIRE(site.check({}).exit_code == 0);  // makes .linkherd
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  fs::create_directory_symlink("store", site.folder / "alias");
  const auto refused = [](const ProgramResult& result, const std::string& file) {
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK(holds(last_line(result.err), file + " is inside the store"));
    CHECK(result.out.empty());
  };
  for (const std::string file : {"store/reports/monday.json", "store/monday.json", "alias/reports/monday.json",
                                 "store/../store/db/monday.json", ".linkherd/reports/monday.json"}) {
    CAPTURE(file);
    refused(site.check({"--store", "store", "--output", file}), file);
    refused(site.check({"--no-store", "--output", file}), file);
    refused(site.run({"report", "--store", "store", "--output", file}), file);
    refused(site.run({"report", "--store", "store", "--log-file", file}), file);
    refused(site.run({"history", "--store", "store", "--log-file", file, "http://good.herd/page"}), file);
    refused(site.run({"links", "--log-file", file, "list.md"}), file);
    CHECK_FALSE(fs::exists(site.folder / file));
  }
  for (const char* option : {"--output", "--log-file"}) {
    CAPTURE(option);
    fs::remove(site.folder / "dangling");
    fs::create_symlink("store/later.txt", site.folder / "dangling");
    refused(site.check({"--store", "store", option, "dangling"}), "dangling");
    CHECK_FALSE(fs::exists(site.folder / "store/later.txt"));
  }
  refused(site.check({"--store", "new", "--output", "new/report.json"}), "new/report.json");
  CHECK_FALSE(fs::exists(site.folder / "new"));
}

TEST_CASE("a store that git tracks is used only if named") {
  OnePage site;
  REQUIRE(site.check({}).exit_code == 0);
  site.internet.clear_requests();
  std::vector<std::string> tracked = {"list.md"};
  for (const auto& entry : fs::directory_iterator(site.folder / ".linkherd" / "db")) {
    tracked.push_back(".linkherd/db/" + entry.path().filename().string());
  }
  make_repository(site.folder.path(), tracked);
  const auto before = fs::last_write_time(site.folder / ".linkherd" / "state");

  const ProgramResult check = site.check({"--format", "jsonl"});
  CAPTURE(check.err);
  CHECK(check.exit_code == 0);
  CHECK(holds(check.err, "is tracked by git: linkherd does not use it, as with --no-store"));
  CHECK(holds(check.err, "--store .linkherd"));
  CHECK_FALSE(line_of(checked_lines(check.out), "http://good.herd/page").is_from_store);
  CHECK(site.internet.count("good.herd", "/page") == 1);
  CHECK(fs::last_write_time(site.folder / ".linkherd" / "state") == before);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report"}, std::vector<std::string>{"history", "http://good.herd/page"}}) {
    const ProgramResult result = site.run(words);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(holds(last_line(result.err),
                "is tracked by git: the store is not read; if it is yours, specify it with --store .linkherd"));
  }

  const ProgramResult named = site.check({"--store", ".linkherd", "--format", "jsonl"});
  CHECK(named.exit_code == 0);
  CHECK(line_of(checked_lines(named.out), "http://good.herd/page").is_from_store);
  CHECK(site.run({"report", "--store", ".linkherd"}).exit_code == 0);
}

TEST_CASE("a store behind a dangling symbolic link is refused with the reason") {
  const OnePage site;
  fs::create_directory_symlink("nowhere", site.folder / "links.store");
  fs::create_directory_symlink("circle", site.folder / "circle");
  for (const char* const store : {"links.store", "circle"}) {
    for (const ProgramResult& refused : {site.check({"--store", store}), site.run({"report", "--store", store})}) {
      CAPTURE(refused.err);
      CHECK(refused.exit_code == 1);
      CHECK(holds(last_line(refused.err), "is a symbolic link to a folder that does not exist; create that folder"));
    }
  }
  fs::create_directory(site.folder / "nowhere");
  CHECK(site.check({"--store", "links.store"}).exit_code == 0);
}

TEST_CASE("an untracked store inside a repository is used") {
  OnePage site;
  make_repository(site.folder.path(), {"list.md"});
  REQUIRE(site.check({}).exit_code == 0);
  const ProgramResult second = site.check({"--format", "jsonl"});
  CHECK_FALSE(holds(second.err, "warning"));
  CHECK(line_of(checked_lines(second.out), "http://good.herd/page").is_from_store);
  CHECK(site.run({"report"}).exit_code == 0);
}

TEST_CASE("a store of another user is used only if named") {
  if (::geteuid() != 0) return;  // only root can change the owner of a file
  OnePage site;
  REQUIRE(site.check({}).exit_code == 0);
  REQUIRE(::lchown((site.folder / ".linkherd").c_str(), 12345, 12345) == 0);
  site.internet.clear_requests();
  const ProgramResult check = site.check({});
  CHECK(check.exit_code == 0);
  CHECK(holds(check.err, "belongs to another user: linkherd does not use it, as with --no-store"));
  CHECK(site.internet.count("good.herd", "/page") == 1);
  CHECK(holds(site.run({"report"}).err, "belongs to another user: the store is not read"));
  CHECK_FALSE(holds(site.check({"--store", ".linkherd"}).err, "warning"));
}

TEST_CASE("store files are readable only by their owner") {
  OnePage site;
  REQUIRE(site.check({"--output", "report.txt"}).exit_code == 0);
  CHECK(mode_of(site.folder / ".linkherd") == 0700);
  for (const auto& entry : fs::recursive_directory_iterator(site.folder / ".linkherd")) {
    CAPTURE(entry.path());
    if (!entry.is_symlink()) CHECK(mode_of(entry.path()) == (entry.is_directory() ? 0700U : 0600U));
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(mode_of(site.folder / "report.txt") == (0666U & ~mask));
}

TEST_CASE("one damaged byte in a table costs at most the table") {
  OnePage site;
  REQUIRE(site.check({"--now", "2026-03-01T10:00:00Z", "--store", "whole"}).exit_code == 0);
  REQUIRE(site.check({"--now", "2026-03-03T10:00:00Z", "--store", "whole"}).exit_code == 0);
  const std::string published = "reports/" + fs::read_symlink(site.folder / "whole/reports/latest").string();
  int damaged = 0;
  for (const fs::path& table : files_like(site.folder / "whole" / "db", ".sst")) {
    const std::string name = table.filename().string();
    CAPTURE(name);
    if (!fs::exists(site.folder / "whole" / published / name))
      continue;  // this table was written by a compaction after the publication
    ++damaged;
    fs::remove_all(site.folder / "store");
    // The published state has the same damage.
    fs::copy(site.folder / "whole", site.folder / "store",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    std::string bytes = read_file(table);
    bytes[10] = static_cast<char>(bytes[10] ^ 1);
    site.folder.write("store/db/" + name, bytes);
    site.folder.write("store/" + published + "/" + name, bytes);

    const ProgramResult check = site.check({"--now", "2026-03-05T10:00:00Z", "--store", "store"});
    CAPTURE(check.err);
    CHECK(check.exit_code == 0);
    CHECK(holds(check.err, "1 of its tables (of "));
    CHECK(holds(check.err, "cannot be read and were left out"));
    CHECK(count_lines(check.err) == 2);  // and how the run ended
    const ProgramResult history =
        site.run({"history", "--store", "store", "--format", "jsonl", "http://good.herd/page"});
    CHECK(history.exit_code == 0);
    const std::vector<boost::json::object> looks = json_lines(history.out);
    REQUIRE_FALSE(looks.empty());  // the checks in that table are lost, but later ones are not
    CHECK(looks.front().at("fetched_at").as_string().starts_with("2026-03-05T10:00:0"));
    CHECK(site.run({"report", "--store", "store"}).exit_code == 0);
    CHECK_FALSE(holds(site.check({"--now", "2026-03-07T10:00:00Z", "--store", "store"}).err, "warning"));
  }
  CHECK(damaged > 0);
}

TEST_CASE("a lost table is restored from the latest checkpoint") {
  OnePage site;
  REQUIRE(site.check({"--now", "2026-03-01T10:00:00Z", "--store", "store"}).exit_code == 0);
  for (const fs::path& table : files_like(site.folder / "store" / "db", ".sst")) fs::remove(table);
  const ProgramResult check = site.check({"--now", "2026-03-03T10:00:00Z", "--store", "store"});
  CAPTURE(check.err);
  CHECK(check.exit_code == 0);
  CHECK(holds(check.err, "were missing or damaged and were restored from its latest checkpoint"));
  const ProgramResult history = site.run({"history", "--store", "store", "--format", "jsonl", "http://good.herd/page"});
  CHECK(json_lines(history.out).size() == 2);
}

TEST_CASE("lost data is reported by the next command that is not quiet") {
  OnePage site;
  REQUIRE(site.check({"--now", "2026-03-01T10:00:00Z", "--store", "store"}).exit_code == 0);
  fs::remove_all(site.folder / "store" / "reports");
  for (const fs::path& table : files_like(site.folder / "store" / "db", ".sst")) fs::remove(table);
  const ProgramResult quiet = site.check({"--now", "2026-03-03T10:00:00Z", "--store", "store", "-q"});
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.err.empty());
  CHECK(quiet.out.empty());
  CHECK(holds(site.run({"report", "--store", "store"}).err, "cannot be read and were left out"));
  CHECK_FALSE(holds(site.run({"report", "--store", "store"}).err, "cannot be read"));
}

TEST_CASE("a report of a store marked by a newer version is refused") {
  OnePage site;
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  site.folder.write("store/linkherd-store", "linkherd store 2\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"report", "--store", "store"}, {"history", "--store", "store", "http://good.herd/page"}}) {
    const ProgramResult refused = site.run(words);
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
    CHECK(holds(refused.err, "was created by another version of linkherd; move it elsewhere and run again"));
  }
}

TEST_CASE("a damaged MANIFEST or CURRENT costs nothing that the last report had") {
  OnePage site;
  REQUIRE(site.check({"--now", "2026-03-01T10:00:00Z", "--store", "store"}).exit_code == 0);
  REQUIRE(site.check({"--now", "2026-03-03T10:00:00Z", "--store", "store"}).exit_code == 0);
  SUBCASE("CURRENT is damaged") { site.folder.write("store/db/CURRENT", "garbage"); }
  SUBCASE("CURRENT is missing") { fs::remove(site.folder / "store/db/CURRENT"); }
  SUBCASE("MANIFEST is damaged") {
    for (const fs::path& file : files_like(site.folder / "store/db", "MANIFEST")) {
      site.folder.write("store/db/" + file.filename().string(), "garbage");
    }
  }
  SUBCASE("MANIFEST is truncated") {
    for (const fs::path& file : files_like(site.folder / "store/db", "MANIFEST")) fs::resize_file(file, 300);
  }
  const ProgramResult check = site.check({"--now", "2026-03-05T10:00:00Z", "--store", "store"});
  CAPTURE(check.err);
  CHECK(check.exit_code == 0);
  CHECK(holds(check.err, "it was replaced with its latest checkpoint, and the damaged database is kept as damaged-1"));
  const ProgramResult history = site.run({"history", "--store", "store", "--format", "jsonl", "http://good.herd/page"});
  CHECK(json_lines(history.out).size() == 3);
  CHECK_FALSE(holds(site.check({"--now", "2026-03-07T10:00:00Z", "--store", "store"}).err, "warning"));
}

TEST_CASE("a store with a damaged mark is used and marked again") {
  OnePage site;
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  SUBCASE("missing mark") { fs::remove(site.folder / "store/linkherd-store"); }
  SUBCASE("empty mark") { site.folder.write("store/linkherd-store", ""); }
  const ProgramResult check = site.check({"--store", "store"});
  CAPTURE(check.err);
  CHECK(check.exit_code == 0);
  CHECK(read_file(site.folder / "store/linkherd-store").starts_with("linkherd store 1\n"));
}

TEST_CASE("a damaged report says what to do") {
  OnePage site;
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  for (const fs::path& table : files_like(fs::canonical(site.folder / "store/reports/latest"), ".sst")) {
    std::string bytes = read_file(table);
    bytes[10] = static_cast<char>(bytes[10] ^ 1);
    std::ofstream(table, std::ios::binary) << bytes;  // overwrites the file in place, because the database shares it
  }
  const ProgramResult report = site.run({"report", "--store", "store"});
  CHECK(report.exit_code == 1);
  CHECK(holds(last_line(report.err),
              "is damaged; run `linkherd check` again, which keeps everything that can still be read"));
  CHECK(site.check({"--store", "store"}).exit_code == 0);
  CHECK(site.run({"report", "--store", "store"}).exit_code == 0);
}

TEST_CASE("report and history mention a killed second run") {
  OnePage site;
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  site.folder.write("other.md", "[page](http://good.herd/page)\n[slow](http://slow.herd/)\n");
  Page silent;
  silent.delivery = Delivery::silence;
  site.internet.host("slow.herd").page("/robots.txt", status_page(404)).default_page(silent);
  RunningProgram program = start_linkherd(
      site.folder.path(), check_arguments(site.internet, {"--timeout", "100s", "--store", "store", "other.md"}));
  REQUIRE(wait_for_request(site.internet, "slow.herd", "/"));
  const auto says_once = [&site](const std::string& words) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"report", "--store", "store"},
          std::vector<std::string>{"history", "--store", "store", "http://good.herd/page"}}) {
      const ProgramResult result = site.run(command);
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
      CHECK(holds(result.err, "run 2, started "));
      CHECK(holds(result.err, words));
    }
  };
  says_once("is still running: the report shows the state before this run");
  program.signal(SIGKILL);
  CHECK(program.wait().signal == SIGKILL);
  says_once("was interrupted: the report shows the state before this run; the same `linkherd check` continues it");

  site.internet.host("slow.herd").default_page(html_page("<title>Slow</title>"));
  REQUIRE(
      run_linkherd(site.folder.path(), check_arguments(site.internet, {"--store", "store", "other.md"})).exit_code ==
      0);
  CHECK_FALSE(holds(site.run({"report", "--store", "store"}).err, "run 2"));
}

TEST_CASE("a report replaces the old file completely or not at all") {
  OnePage site;
  REQUIRE(site.check({"--store", "store"}).exit_code == 0);
  const auto report = [&site](const std::string& file) {
    return site.run({"report", "--store", "store", "--format", "jsonl", "--output", file});
  };
  SUBCASE("a file behind a symbolic link keeps its mode") {
    const fs::path file = site.folder.write("reports/old.json", std::string(100'000, 'x'));
    fs::permissions(file, fs::perms(0640));
    fs::create_symlink("reports/old.json", site.folder / "link.json");
    CHECK(report("link.json").exit_code == 0);
    CHECK(fs::is_symlink(site.folder / "link.json"));
    CHECK(json_lines(read_file(file)).size() == 1);
    CHECK(mode_of(file) == 0640);
    CHECK(std::distance(fs::directory_iterator(site.folder / "reports"), {}) == 1);
  }
  SUBCASE("a device or pipe is written directly") {
    CHECK(report("/dev/null").exit_code == 0);
    CHECK_FALSE(fs::is_regular_file("/dev/null"));
    CHECK(json_lines(report("/dev/stdout").out).size() == 1);
  }
  SUBCASE("a full disk leaves the old file") {
    const fs::path file = site.folder.write("old.json", "old");
    ProgramOptions options;
    options.working_directory = site.folder.path();
    options.arguments = {"-c",
                         "trap '' 25; ulimit -f 0; exec \"$0\" \"$@\"",
                         LINKHERD_PROGRAM,
                         "report",
                         "--store",
                         "store",
                         "--format",
                         "json",
                         "--output",
                         "old.json"};
    const ProgramResult result = run_program("/bin/sh", options);
    CHECK(result.exit_code == 1);  // its messages cannot be written either
    CHECK(read_file(file) == "old");
    CHECK(files_like(site.folder.path(), "old.json").size() == 1);
  }
}
