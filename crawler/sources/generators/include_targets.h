// Finds the files that a directive of a site generator may name; see parser::find_includes().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/generators/site_generators.h"
#include "crawler/sources/generators/site_roots.h"

namespace linkherd::crawler {

struct IncludeDirective {
  std::string_view name;     // "include", "ref", "post_url"
  std::string_view written;  // the path as written, without an anchor
  const std::filesystem::path& list;
  const std::filesystem::path* repository = nullptr;  // null if the list is in no repository
};

struct IncludeTargets {
  // the first that exists is meant; if none exists, messages name the first
  std::vector<std::filesystem::path> files{};
  std::vector<std::string> pages{};  // if no file exists: names of pages that may be anywhere below `folder`
  std::filesystem::path folder{};
  std::string fragment{};
  bool is_certain = true;  // false if the file may also be elsewhere, for example in a theme
};

// `text` is the text of the configuration.
IncludeTargets find_include_targets(const IncludeDirective& directive, const SiteConfiguration& configuration,
                                    std::string_view text, const SiteRoots& roots);

}  // namespace linkherd::crawler
