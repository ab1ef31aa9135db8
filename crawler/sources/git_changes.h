// Compares the tracked files of a working tree with the merge base of HEAD and another revision, as a pull request
// does. Uses libgit2 and starts no git process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/lists/found_link.h"
#include "parser/result.h"

namespace linkherd::crawler {

// The lines of a list that were added or changed, as byte ranges of its decoded text.
struct ListChange {
  std::vector<parser::TextRange> added;  // in ascending order

  bool touches(std::uint64_t offset, std::uint64_t length) const;
};

class GitChanges {
 public:
  // `folder` is any folder of the repository. `revision` is anything that names a commit ("origin/main", "HEAD~3").
  // Returns an Error whose text contains the remedy in these cases:
  // - no repository, or a bare one;
  // - no such revision;
  // - no common history (in a shallow clone);
  // - no commit on the branch.
  static Result<GitChanges> since(const std::filesystem::path& folder, const std::string& revision);

  GitChanges(GitChanges&&) noexcept;
  GitChanges& operator=(GitChanges&&) noexcept;
  GitChanges(const GitChanges&) = delete;
  GitChanges& operator=(const GitChanges&) = delete;
  ~GitChanges();

  // Returns the changed lines of a list. Returns nullopt for a list outside of the repository, on stdin or on the web:
  // it has no earlier version. All lines of a list that git does not track are new. Throws InputError if the clone
  // lacks the earlier version.
  std::optional<ListChange> of(const InputDocument& list) const;

  // The remaining functions refer to the merge base. Paths are absolute.

  // Returns true if a file or folder of this name existed.
  bool existed_at_base(const std::filesystem::path& path) const;
  // Returns the content of a file. Returns nullopt if it was not a regular file or is larger than `max_bytes`. Throws
  // InputError like of().
  std::optional<std::string> bytes_of(const std::filesystem::path& file, std::size_t max_bytes) const;
  // Return the earlier path of a renamed file, and the later path of a file that had this name. Nullopt if it was not
  // renamed.
  std::optional<std::filesystem::path> former_path(const std::filesystem::path& file) const;
  std::optional<std::filesystem::path> later_path(const std::filesystem::path& file) const;

  // Returns the abbreviated commit ID: "0123456".
  std::string merge_base() const;

 private:
  struct State;
  explicit GitChanges(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace linkherd::crawler
