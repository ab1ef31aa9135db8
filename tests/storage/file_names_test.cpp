#include "storage/file_names.h"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string current;  // folder
  std::string name;     // there
  std::string stored;
  std::string shown = {};  // empty: the name
};

}  // namespace

TEST_CASE("a store resolves file names against its own folder from any current folder") {
  for (const Row& row : std::vector<Row>{{"/repo", "docs/a.md", "docs/a.md"},
                                         {"/repo", ".", "."},
                                         {"/repo/docs", "a.md", "docs/a.md"},
                                         {"/repo/docs", ".", "docs"},
                                         {"/repo/docs", "../README.md", "README.md"},
                                         {"/repo/docs", "..", "."},
                                         {"/repo/docs", "/repo/README.md", "README.md", "../README.md"},
                                         {"/repo/docs", "/etc/motd.md", "/etc/motd.md"},
                                         {"/repo/docs", "../../other/x.md", "/other/x.md", "/other/x.md"},
                                         {"/", "repo/docs/a.md", "docs/a.md"},
                                         {"/", "srv/a.md", "../srv/a.md"},
                                         {"/elsewhere", "a.md", "/elsewhere/a.md"},
                                         {"/elsewhere", ".", "/elsewhere"},
                                         {"/elsewhere", "/repo/a.md", "/repo/a.md"},
                                         {"/repo/docs", "https://a.example/list", "https://a.example/list"},
                                         {"/repo/docs", "-", "-"},
                                         {"/repo/docs", "b\\xFF c.md", "docs/b\\xFF c.md"}}) {
    CAPTURE(row.current);
    CAPTURE(row.name);
    const FileNames names("/repo", row.current);
    CHECK(names.to_stored(row.name) == row.stored);
    CHECK(names.to_shown(row.stored) == (row.shown.empty() ? row.name : row.shown));
  }
}

TEST_CASE("file names are relative to the repository or else to the folder of the store") {
  const tests::TempDir folder;
  const fs::path here = fs::canonical(folder.path());
  fs::create_directories(here / "clone/.git");
  fs::create_directories(here / "clone/docs");
  fs::create_directories(here / "plain");
  const fs::path before = fs::current_path();
  const auto stored = [&](const fs::path& current, const fs::path& store) {
    fs::current_path(here / current);
    return FileNames::of_store(here / store).to_stored("a.md");
  };
  CHECK(stored("clone/docs", "clone/.linkherd") == "docs/a.md");
  CHECK(stored("clone/docs", "clone/docs/store") == "docs/a.md");
  CHECK(stored("clone/docs", "cache/store") == "docs/a.md");
  CHECK(stored("clone", "store") == "a.md");
  CHECK(stored("plain", "store") == "plain/a.md");
  CHECK(stored("plain", "plain/store") == "a.md");
  CHECK(stored("plain", "clone/docs/store") == (here / "plain/a.md").string());
  fs::current_path(here);
  CHECK(FileNames::of_store(here / "clone/docs/store").to_stored("clone/docs/a.md") == "docs/a.md");
  fs::current_path(before);
}

TEST_CASE("file names stay unchanged if the store lies in the current folder") {
  CHECK(FileNames("/repo", "/repo").are_same());
  CHECK_FALSE(FileNames("/repo", "/repo/docs").are_same());
  CHECK(FileNames().to_stored("../a.md") == "../a.md");
}

}  // namespace linkherd::storage
