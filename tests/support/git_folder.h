// A temporary git repository that is created with the real git program, as users create theirs.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

// Runs git without the settings of the machine and returns its output. Throws std::runtime_error if git fails.
inline std::string run_git(const std::filesystem::path& folder, std::vector<std::string> words) {
  ProgramOptions options;
  options.working_directory = folder;
  options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_SYSTEM", "/dev/null"},
                         {"GIT_AUTHOR_NAME", "A"},           {"GIT_AUTHOR_EMAIL", "a@a.herd"},
                         {"GIT_COMMITTER_NAME", "A"},        {"GIT_COMMITTER_EMAIL", "a@a.herd"}};
  options.arguments = {"-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always",
                       "-c", "advice.detachedHead=0"};
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  const ProgramResult result = run_program("/usr/bin/git", options);
  if (result.exit_code != 0) throw std::runtime_error("git " + words.front() + " failed: " + result.err);
  return result.out;
}

class GitFolder {
 public:
  GitFolder() { git({"init", "-q"}); }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view text) const { return folder_.write(name, text); }
  std::string git(std::vector<std::string> words) const { return run_git(path(), std::move(words)); }
  // Commits the current content of the folder.
  void commit(const std::string& message) const {
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
  }

 private:
  TempDir folder_;
};

}  // namespace linkherd::tests
