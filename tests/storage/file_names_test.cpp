#include "storage/file_names.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace linkherd::storage {
namespace {

struct Row {
  std::string current;  // folder
  std::string name;     // there
  std::string stored;
  std::string shown = {};  // empty: the name
};

}  // namespace

TEST_CASE("a store names files from its own folder, whichever folder they are named from") {
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
    CHECK(names.stored(row.name) == row.stored);
    CHECK(names.shown(row.stored) == (row.shown.empty() ? row.name : row.shown));
  }
}

TEST_CASE("names stay as they are where the store lies in the current folder") {
  CHECK(FileNames("/repo", "/repo").are_same());
  CHECK_FALSE(FileNames("/repo", "/repo/docs").are_same());
  CHECK(FileNames().stored("../a.md") == "../a.md");
}

}  // namespace linkherd::storage
