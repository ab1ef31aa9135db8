// What pages and redirects of known hosts say of a link beside whether it is there: archived and renamed repositories
// of GitHub, renamed branches, withdrawn papers of arXiv.
#pragma once

#include <string_view>
#include <vector>

#include "crawler/fetch/http/fetch_result.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// `html`: decoded; empty where the answer is no page.
std::vector<storage::Fact> site_facts(const FetchResult& result, std::string_view html);

}  // namespace linkherd::crawler
