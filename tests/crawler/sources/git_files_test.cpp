// Tests which paths git tracks, also behind symbolic links and in clones with extensions. An unknown answer is reported
// as unknown.
#include "crawler/sources/git_files.h"

#include <filesystem>
#include <fstream>
#include <optional>

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
  CHECK(is_tracked("kept") == true);
  CHECK(is_tracked("kept/") == true);
  CHECK(is_tracked("./inner/../kept") == true);
  CHECK(is_tracked(folder.path() / "kept") == true);
  CHECK(is_tracked("inner/docs") == true);
  CHECK(is_tracked("link") == true);
  CHECK(is_tracked("list.md") == true);
  for (const char* path : {"kept-not", "fresh", "absent", "inner/doc", "kep"}) {
    CAPTURE(path);
    CHECK(is_tracked(path) == false);
  }
}

TEST_CASE("no path is tracked outside a repository") {
  const TestFolder folder;
  folder.write("store/file");
  CHECK(is_tracked("store") == false);
}

TEST_CASE("sparse and partial clones are read like others") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("store/file");
  folder.track({"list.md", "store/file"});
  std::ofstream(".git/config") << "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
                                  "[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n";
  CHECK(is_tracked("store") == true);
  CHECK(is_tracked("absent") == false);
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
  CHECK(is_tracked("store") == std::nullopt);
  CHECK_FALSE(tracked_files(".").has_value());
}
