// Evaluates links that need no request. Pure functions.
#pragma once

#include <optional>

#include "crawler/sources/link_filter.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Returns a verdict if the input document or the user excludes the link. `filter` may be null.
std::optional<storage::Verdict> verdict_if_excluded(const parser::LinkOccurrence& occurrence, const LinkFilter* filter);

// Returns the verdict of a link that leads to no file and is not excluded, or nullopt if it must be fetched. `url`: its
// target; nullopt if the link has none. `is_offline`: nothing is fetched. `includes_mail`: mail addresses are checked.
std::optional<storage::Verdict> verdict_without_request(const parser::LinkOccurrence& occurrence,
                                                        const std::optional<parser::Url>& url, bool is_offline,
                                                        bool includes_mail);

}  // namespace linkherd::crawler
