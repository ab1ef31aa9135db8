// Finds the files that a directive of a site generator may name; see parser::find_includes().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/document_context.h"
#include "crawler/sources/generators/site_roots.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::crawler {

struct IncludeTargets {
  // the first that exists is meant; if none exists, messages name the first
  std::vector<std::filesystem::path> files{};
  std::vector<std::string> pages{};  // if no file exists: names of pages that may be anywhere below `folder`
  std::filesystem::path folder{};
  std::string fragment{};
  bool is_certain = true;  // false if the file may also be elsewhere, for example in a theme
};

// The text of `directive` is its name ("include", "ref", "post_url"), and its URL is the path as written. `text` is the
// text of the configuration.
IncludeTargets find_include_targets(const DocumentContext& list, const parser::LinkOccurrence& directive,
                                    std::string_view text, const SiteRoots& roots);

}  // namespace linkherd::crawler
