// Fetches input documents from the web like links: with the same pool, politeness and rules.
#pragma once

#include <optional>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/run/crawl.h"
#include "crawler/sources/source.h"

namespace linkherd::crawler {

inline constexpr std::size_t max_remote_list_bytes = std::size_t{64} << 20;

// Returns one result per URL, in the order of `urls`. An Error says why a document is missing. When `deadline` ends,
// pending requests are aborted.
std::vector<Result<FetchedList>> fetch_lists(const std::vector<parser::Url>& urls, FetchOptions options,
                                             const Clock& clock, std::optional<Duration> deadline = std::nullopt);

}  // namespace linkherd::crawler
