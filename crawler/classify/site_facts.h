// Extracts facts about a link from pages and redirects of known hosts, in addition to its state. Examples are archived
// and renamed repositories on GitHub, renamed branches, and withdrawn papers on arXiv.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Returns true if github.com uses this first part of a path for its own pages, such as "topics". No owner of
// repositories has such a name.
bool is_reserved_on_github(std::string_view name);

// The same file or folder of a GitHub repository on the other common branch: "main" for "master" and vice versa.
struct OtherBranch {
  parser::Url url;
  std::string path;    // the end of its URL, also after redirects
  storage::Fact fact;  // the fact about the link if the file exists there
};
std::optional<OtherBranch> other_branch(const parser::Url& link);

// `html` is decoded, and empty if the answer is not a page.
std::vector<storage::Fact> site_facts(const FetchResult& result, std::string_view html);

}  // namespace linkherd::crawler
