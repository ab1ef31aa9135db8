// Selects the links to check: by include and exclude patterns and by scheme. Also rewrites URLs by patterns. Patterns
// are RE2, match anywhere in a URL, and run in linear time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/result.h"

namespace linkherd::crawler {

// A pattern and its origin, such as "--exclude" or ".linkherdignore:3".
struct SourcedPattern {
  std::string source;
  std::string pattern;

  bool operator==(const SourcedPattern&) const = default;
};

// Return the error of an invalid pattern, or of an invalid "PATTERN REPLACEMENT". Nullopt if it is valid.
std::optional<Error> pattern_fault(std::string_view pattern);
std::optional<Error> remap_fault(std::string_view text);

struct LinkFilterOptions {
  std::vector<SourcedPattern> include;
  std::vector<SourcedPattern> exclude;
  std::vector<std::string> remap;    // "PATTERN REPLACEMENT"; the replacement may contain $1 and ${name}
  std::vector<std::string> schemes;  // empty if all are allowed
};

// The reason why a link is excluded.
struct Exclusion {
  std::string rule;      // "exclude", "include", "scheme"
  std::string evidence;  // for the report: ".linkherdignore:3 matches: ^https://intranet"

  bool operator==(const Exclusion&) const = default;
};

class LinkFilter {
 public:
  // Returns an Error that names the invalid pattern and its origin.
  static Result<LinkFilter> make(const LinkFilterOptions& options);

  LinkFilter(LinkFilter&&) noexcept;
  LinkFilter& operator=(LinkFilter&&) noexcept;
  LinkFilter(const LinkFilter&) = delete;
  LinkFilter& operator=(const LinkFilter&) = delete;
  ~LinkFilter();

  // Returns true if no link is excluded and none is rewritten.
  bool leaves_all() const;

  // Returns the reason if a link is excluded, or nullopt. Include patterns take precedence over exclude patterns. If
  // there are only include patterns, all other links are excluded. Patterns are matched against the URL as written and
  // as resolved (`href`, empty if it is not a URL).
  std::optional<Exclusion> excludes(std::string_view written, std::string_view href) const;

  // Returns the href rewritten by the first matching pattern, or nullopt.
  std::optional<std::string> remapped(std::string_view href) const;
  // Rewrites the href of the occurrence.
  void remap(parser::LinkOccurrence& occurrence) const;

 private:
  struct Patterns;
  explicit LinkFilter(std::unique_ptr<Patterns> patterns);

  std::unique_ptr<Patterns> patterns_;
};

// Reads the patterns of a file such as .lycheeignore, one per line. Skips empty lines and "#" comments.
std::vector<SourcedPattern> patterns_in(std::string_view text, std::string_view file);

// Excludes files by patterns that match anywhere in a path.
class PathFilter {
 public:
  static Result<PathFilter> make(const std::vector<std::string>& patterns);

  PathFilter();
  PathFilter(PathFilter&&) noexcept;
  PathFilter& operator=(PathFilter&&) noexcept;
  PathFilter(const PathFilter&) = delete;
  PathFilter& operator=(const PathFilter&) = delete;
  ~PathFilter();

  // Returns the first matching pattern.
  std::optional<std::string> excludes(std::string_view path) const;

 private:
  struct Patterns;
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace linkherd::crawler
