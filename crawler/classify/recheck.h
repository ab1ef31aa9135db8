// When a link is to be asked again: a pure rule over its record.
#pragma once

#include <string_view>

#include "parser/timestamp.h"
#include "storage/link_record.h"

namespace linkherd::crawler {

// Returns false only for a link that was there when the same vantage looked less than `max_cache_age` ago; less than a
// quarter of that ago for one that has moved, until it was seen to lead to the same place for `max_cache_age`. All
// others are always due: what the store alone says fails no run.
bool is_due(const storage::LinkRecord& record, std::string_view vantage, Timestamp now, Duration max_cache_age);

}  // namespace linkherd::crawler
