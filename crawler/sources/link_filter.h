// Which links a user wants checked: patterns to include and to exclude, schemes, and patterns that rewrite. Patterns
// are RE2's, looked for anywhere in a URL, and run in linear time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"

namespace linkherd::crawler {

// A pattern and where it was given: "--exclude", ".linkherdignore:3".
struct SourcedPattern {
  std::string source;
  std::string pattern;

  bool operator==(const SourcedPattern&) const = default;
};

struct LinkFilterOptions {
  std::vector<SourcedPattern> include;
  std::vector<SourcedPattern> exclude;
  std::vector<std::string> remap;    // "PATTERN REPLACEMENT"; the replacement may have $1 and ${name}
  std::vector<std::string> schemes;  // none: all
};

// Why a link is left out.
struct Exclusion {
  std::string rule;      // "exclude", "include", "scheme"
  std::string evidence;  // for people, with the pattern: ".linkherdignore:3 matches: ^https://intranet"

  bool operator==(const Exclusion&) const = default;
};

class LinkFilter {
 public:
  // The Error names the pattern that cannot be used, and where it was given.
  static Result<LinkFilter> make(const LinkFilterOptions& options);

  LinkFilter(LinkFilter&&) noexcept;
  LinkFilter& operator=(LinkFilter&&) noexcept;
  LinkFilter(const LinkFilter&) = delete;
  LinkFilter& operator=(const LinkFilter&) = delete;
  ~LinkFilter();

  // What is included is never excluded. Where there are patterns to include and none to exclude, all others are left
  // out. A URL is looked at as it is written and as it is resolved (empty where it is not).
  std::optional<Exclusion> excludes(std::string_view written, std::string_view href) const;

  // The href as the first pattern that matches rewrites it; nothing where none does.
  std::optional<std::string> remapped(std::string_view href) const;

 private:
  struct Patterns;
  explicit LinkFilter(std::unique_ptr<Patterns> patterns);

  std::unique_ptr<Patterns> patterns_;
};

// The patterns of a file such as .lycheeignore: one a line; empty lines and those that begin with "#" aside.
std::vector<SourcedPattern> patterns_in(std::string_view text, std::string_view file);

// Names of files that are no lists, by patterns that are looked for anywhere in a path.
class PathFilter {
 public:
  static Result<PathFilter> make(const std::vector<std::string>& patterns);

  PathFilter();
  PathFilter(PathFilter&&) noexcept;
  PathFilter& operator=(PathFilter&&) noexcept;
  PathFilter(const PathFilter&) = delete;
  PathFilter& operator=(const PathFilter&) = delete;
  ~PathFilter();

  // The first pattern that matches.
  std::optional<std::string> excludes(std::string_view path) const;

 private:
  struct Patterns;
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace linkherd::crawler
