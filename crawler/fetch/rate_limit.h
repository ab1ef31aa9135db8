// When a host wants to be asked again, by its RateLimit headers: the fields of the IETF drafts in their several forms,
// and the X-RateLimit ones that came before them. A pure rule.
#pragma once

#include <optional>
#include <vector>

#include "crawler/fetch/header.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Nothing unless the host says that no request is left. Never before `now`, never more than storage::longest_silence
// ahead.
std::optional<Timestamp> rate_limit_reset(const std::vector<Header>& headers, Timestamp now);

}  // namespace linkherd::crawler
