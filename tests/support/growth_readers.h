// Reads a text as one of the readers of growth_shapes.h.
#pragma once

#include <cstddef>
#include <string_view>

namespace linkherd::testing {

// Returns how many links, records or rules it has, so that no work is optimised away.
std::size_t read_by(std::string_view reader, std::string_view text);

}  // namespace linkherd::testing
