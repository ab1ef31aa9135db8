#include "storage/spill_file.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

using linkherd::storage::SpillFile;
using linkherd::tests::TempDir;

namespace {

// Sets $TMPDIR until it is destroyed.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& folder) { setenv("TMPDIR", folder.c_str(), 1); }
  ~TemporaryFolder() {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  std::string before_ = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
};

// The mode and the number of names of an open file of this process in `folder`. {0, -1} if it has none.
struct OpenFile {
  unsigned mode = 0;
  int names = -1;
};
OpenFile open_file_in(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    struct stat status {};
    if (!target.starts_with(folder.string()) || stat(entry.path().c_str(), &status) != 0) continue;
    return {status.st_mode & 0777U, static_cast<int>(status.st_nlink)};
  }
  return {};
}

}  // namespace

TEST_CASE("spilled text is read back from memory and file") {
  const TempDir folder;
  const TemporaryFolder temporary(folder.path());
  SpillFile file(100);
  std::vector<SpillFile::Extent> extents;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 50; ++i) {
    texts.push_back(std::to_string(i) + std::string(i * 3, 'x'));
    extents.push_back(file.add(texts.back()));
    for (std::size_t j = 0; j <= i; ++j) REQUIRE(file.read(extents[j]) == texts[j]);
  }
}

TEST_CASE("the spill file is private and has no name") {
  const TempDir folder;
  const TemporaryFolder temporary(folder.path());
  SpillFile file(10);
  file.add("some");
  CHECK(open_file_in(folder.path()).names == -1);  // most of the data is on disk
  file.add("more than ten bytes");
  file.add("and more");
  CHECK(open_file_in(folder.path()).mode == 0600);
  CHECK(open_file_in(folder.path()).names == 0);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("an unusable temporary folder is an error that says what to do") {
  const TempDir folder;
  const TemporaryFolder temporary(folder / "missing");
  SpillFile file(10);
  file.add("some");
  try {
    file.add("more than ten bytes");
    FAIL("no error");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).find((folder / "missing").string()) != std::string::npos);
    CHECK(std::string(error.what()).find("TMPDIR") != std::string::npos);
  }
}
