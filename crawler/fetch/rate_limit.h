// When a host wants to be asked again, by its RateLimit headers: the fields of the IETF drafts in their several forms,
// and the X-RateLimit ones that came before them. A pure rule.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "crawler/fetch/header.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Nobody is waited for longer. What asks for more does not mean a time, and a host that was wrong once, or has long
// been replaced, would never be looked at again.
inline constexpr std::chrono::seconds longest_silence = std::chrono::hours(7 * 24);

// Nothing unless the host says that no request is left. Never before `now`, never more than longest_silence ahead.
std::optional<Timestamp> rate_limit_reset(const std::vector<Header>& headers, Timestamp now);

}  // namespace linkherd::crawler
