// Options of the check of local files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::crawler {

// A site whose pages are checked as files: a link to one of its pages is a link to a file.
struct SiteMapping {
  parser::Url url;
  std::string folder{};  // folder that contains its pages; empty for the folder of "/x" targets
};

// Returns the path of a page below the site ("/guide/"), or nullopt if the page is not on the site. Ignores scheme,
// login, query and fragment.
std::optional<std::string_view> path_in_site(const SiteMapping& site, const parser::Url& page);

struct LocalLinkOptions {
  std::string root_dir{};  // root of "/x" targets; empty for the site or repository of the document
  // a folder must have one of these files; "." accepts any folder; empty for no check
  std::vector<std::string> index_files{};
  std::vector<std::string> fallback_extensions{};  // tried if a file does not exist: "html" for "page"
  bool anchors = true;                             // true if fragments are checked too
  std::vector<SiteMapping> sites{};
};

}  // namespace linkherd::crawler
