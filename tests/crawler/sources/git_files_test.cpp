// Tests which paths git tracks, also behind symbolic links and in clones with extensions. An unknown answer is reported
// as unknown.
#include "crawler/sources/git_files.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/crawler/sources/test_folder.h"

using namespace linkherd::crawler;
namespace fs = std::filesystem;

TEST_CASE("a path is tracked if git tracks it or a file below it") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("kept/db/CURRENT");
  folder.write("kept-not/file");
  folder.write("fresh/file");
  fs::create_directory_symlink("fresh", "link");
  folder.write("inner/docs/file");
  folder.track({"list.md", "kept/db/CURRENT", "link", "inner/docs/file"});
  CHECK(git_tracking("kept") == GitTracking::tracked);
  CHECK(git_tracking("kept/") == GitTracking::tracked);
  CHECK(git_tracking("./inner/../kept") == GitTracking::tracked);
  CHECK(git_tracking(folder.path() / "kept") == GitTracking::tracked);
  CHECK(git_tracking("inner/docs") == GitTracking::tracked);
  CHECK(git_tracking("link") == GitTracking::tracked);
  CHECK(git_tracking("list.md") == GitTracking::tracked);
  for (const char* path : {"kept-not", "fresh", "absent", "inner/doc", "kep"}) {
    CAPTURE(path);
    CHECK(git_tracking(path) == GitTracking::untracked);
  }
}

TEST_CASE("no path is tracked outside a repository") {
  const TestFolder folder;
  folder.write("store/file");
  CHECK(git_tracking("store") == GitTracking::untracked);
}

TEST_CASE("sparse and partial clones are read like others") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("store/file");
  folder.track({"list.md", "store/file"});
  std::ofstream(".git/config") << "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
                                  "[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n";
  CHECK(git_tracking("store") == GitTracking::tracked);
  CHECK(git_tracking("absent") == GitTracking::untracked);
  CHECK(tracked_files(".").has_value());
}

TEST_CASE("an unreadable repository gives no answer") {
  const TestFolder folder;
  folder.write("store/file");
  folder.track({"store/file"});
  SUBCASE("its index is damaged") { std::ofstream(".git/index") << "garbage"; }
  SUBCASE("it has an unknown extension") {
    std::ofstream(".git/config") << "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = true\n";
  }
  SUBCASE("one of its references is a pipe") {
    fs::create_directories(".git/refs/heads");
    REQUIRE(mkfifo(".git/refs/heads/main", 0600) == 0);
  }
  CHECK(git_tracking("store") == GitTracking::unknown);
  CHECK_FALSE(tracked_files(".").has_value());
}
