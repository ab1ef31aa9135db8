// Lists on the web, fetched as their links are: by the same pool, with the same politeness, judged by the same rules.
#pragma once

#include <optional>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/run/crawl.h"
#include "crawler/sources/source.h"

namespace linkherd::crawler {

inline constexpr std::size_t max_remote_list_bytes = std::size_t{64} << 20;

// One answer a URL, in their order; an Error says why there is none. The end of `deadline` ends what is under way.
std::vector<Result<FetchedList>> fetch_lists(const std::vector<parser::Url>& urls, FetchOptions options,
                                             const Clock& clock, std::optional<Duration> deadline = std::nullopt);

}  // namespace linkherd::crawler
