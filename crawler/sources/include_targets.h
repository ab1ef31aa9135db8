// Knows where a site generator looks for the file that one of its directives names; see parser::find_includes().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/site_generators.h"
#include "crawler/sources/site_roots.h"

namespace linkherd::crawler {

struct IncludeDirective {
  std::string_view name;     // "include", "ref", "post_url"
  std::string_view written;  // the path as written, without a part of the file
  const std::filesystem::path& list;
  const std::filesystem::path* repository = nullptr;  // null: in none
};

struct IncludeTargets {
  std::vector<std::filesystem::path> files{};  // the first that exists; the first of all in messages
  std::vector<std::string> pages{};            // else names of pages that may be anywhere below `folder`
  std::filesystem::path folder{};
  std::string fragment{};
  bool is_certain = true;  // false: the file may be elsewhere, for example in a theme
};

// `text`: that of the configuration.
IncludeTargets find_include_targets(const IncludeDirective& directive, const SiteConfiguration& configuration,
                                    std::string_view text, const SiteRoots& roots);

}  // namespace linkherd::crawler
