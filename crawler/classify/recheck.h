// Decides when a link is due for another check. A pure rule over its record.
#pragma once

#include <string_view>

#include "parser/timestamp.h"
#include "storage/link_record.h"

namespace linkherd::crawler {

// Returns false only if this vantage point found the link alive or redirected less than `max_cache_age` ago. If the
// link has moved within `max_cache_age`, the limit is a quarter of that. All other links are always due, because no run
// may fail on stored results alone.
bool is_due(const storage::LinkRecord& record, std::string_view vantage, Timestamp now, Duration max_cache_age);

}  // namespace linkherd::crawler
