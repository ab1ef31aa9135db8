// What the tracked files of a working tree change against the merge base of HEAD and another revision, as a pull
// request is compared. Reads with libgit2; no git process is started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/result.h"

namespace linkherd::crawler {

// The lines of a list that are added or changed, as byte ranges of its decoded text.
struct ListChange {
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // behind the last byte
  };
  std::vector<Range> added;  // in the order of the text

  bool touches(std::uint64_t offset, std::uint64_t length) const;
};

class GitChanges {
 public:
  // `folder` is in the repository, `revision` is anything that names a commit ("origin/main", "HEAD~3"). Returns an
  // Error whose text says what to do: no repository or a bare one, no such revision, no common history (in a shallow
  // clone), an unborn branch.
  static Result<GitChanges> since(const std::filesystem::path& folder, const std::string& revision);

  GitChanges(GitChanges&&) noexcept;
  GitChanges& operator=(GitChanges&&) noexcept;
  GitChanges(const GitChanges&) = delete;
  GitChanges& operator=(const GitChanges&) = delete;
  ~GitChanges();

  // Returns nullopt for what has no earlier version there: a list outside of the repository, stdin, the web. A list
  // that git does not track is new. Throws InputError if the clone lacks the earlier version.
  std::optional<ListChange> of(const Seed& list) const;

  // The remaining functions are about the merge base. Paths are absolute.

  // Returns whether there was a file or folder of this name.
  bool had(const std::filesystem::path& path) const;
  // Returns nullopt if it was no regular file, or is larger than `max_bytes`. Throws InputError as of() does.
  std::optional<std::string> bytes_of(const std::filesystem::path& file, std::size_t max_bytes) const;
  // The earlier path of a file that was renamed, and the later path of one that had this name.
  std::optional<std::filesystem::path> former_path(const std::filesystem::path& file) const;
  std::optional<std::filesystem::path> later_path(const std::filesystem::path& file) const;

  // "0123456", the commit.
  std::string merge_base() const;

 private:
  struct State;
  explicit GitChanges(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace linkherd::crawler
