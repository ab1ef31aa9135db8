// A temporary folder for input documents that is also the current folder, for tests of input sources.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <doctest/doctest.h>
#include <git2.h>

namespace linkherd::crawler {

// Creates a temporary folder and makes it the current folder. The destructor restores the previous one.
class TestFolder {
 public:
  TestFolder() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "linkherd-sources-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = std::filesystem::canonical(name);
    std::filesystem::current_path(path_);
  }
  ~TestFolder() {
    std::filesystem::current_path(before_);
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

  void write(const std::filesystem::path& name, const std::string& text = "https://x.org\n") const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

  // Turns the folder into a git repository that tracks `files`.
  void track(const std::vector<std::string>& files) const {
    git_libgit2_init();
    git_repository* repository = nullptr;
    REQUIRE(git_repository_init(&repository, path_.c_str(), 0) == 0);
    git_index* index = nullptr;
    REQUIRE(git_repository_index(&index, repository) == 0);
    for (const std::string& file : files) REQUIRE(git_index_add_bypath(index, file.c_str()) == 0);
    REQUIRE(git_index_write(index) == 0);
    git_index_free(index);
    git_repository_free(repository);
  }

 private:
  std::filesystem::path before_;
  std::filesystem::path path_;
};

}  // namespace linkherd::crawler
