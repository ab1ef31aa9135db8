// What pages and redirects of known hosts say of a link beside whether it is there: archived and renamed repositories
// of GitHub, renamed branches, withdrawn papers of arXiv.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Whether github.com uses this first part of a path for pages of its own, so that no owner of repositories has that
// name: "topics".
bool is_reserved_on_github(std::string_view name);

// A file or folder of a repository on GitHub, on the other one of the usual branches: "main" for "master".
struct OtherBranch {
  parser::Url url;
  std::string path;    // with which its URL ends, also behind redirects
  storage::Fact fact;  // of the link, where the file is there
};
std::optional<OtherBranch> other_branch(const parser::Url& link);

// `html`: decoded; empty where the answer is no page.
std::vector<storage::Fact> site_facts(const FetchResult& result, std::string_view html);

}  // namespace linkherd::crawler
