// Decides when a link is due for another check. A pure rule over its state.
#pragma once

#include <string_view>

#include "parser/timestamp.h"
#include "storage/link_state.h"

namespace linkherd::crawler {

// Returns false only if this vantage point found the link alive or redirected less than `max_cache_age` ago. The limit
// is a quarter of that if the redirect target had changed less than `max_cache_age` before that check. All other links
// are always due, because no run may fail on stored results alone.
bool is_due(const storage::LinkState& state, std::string_view vantage, Timestamp now, Duration max_cache_age);

}  // namespace linkherd::crawler
