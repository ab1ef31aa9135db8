// Lists on the web, fetched as their links are: by the same pool, with the same politeness, judged by the same rules.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "crawler/clock/clock.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/run/crawl.h"
#include "crawler/sources/source.h"

namespace linkherd::crawler {

inline constexpr std::size_t largest_remote_list = std::size_t{64} << 20;

// One answer a URL, in their order; an Error says why there is none. A signal in `stop`, which may be null, ends what
// is under way, and so does the end of `deadline`.
std::vector<Result<FetchedList>> fetch_lists(const std::vector<parser::Url>& urls, FetchOptions options,
                                             const Clock& clock, const std::atomic<StopSignal>* stop,
                                             std::optional<Duration> deadline = std::nullopt);

}  // namespace linkherd::crawler
