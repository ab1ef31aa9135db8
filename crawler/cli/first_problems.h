// Prints a long list of problems as its first lines and a count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crawler/cli/command.h"

namespace linkherd::crawler {

// `problems`: the first of `count` problems, one per line. `noun`: describes the others, for example "records are
// damaged".
inline void print_first(const std::vector<std::string>& problems, std::uint64_t count, const char* noun,
                        const Streams& streams) {
  constexpr std::size_t max_shown = 10;
  const std::size_t shown = std::min(problems.size(), max_shown);
  for (std::size_t i = 0; i < shown; ++i) print_reason(streams, problems[i]);
  if (count > shown) print_reason(streams, fmt::format("and {} more {}", count - shown, noun));
}

}  // namespace linkherd::crawler
