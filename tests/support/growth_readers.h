// Runs one of the readers of growth_shapes.h on a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace linkherd::testing {

// Returns the number of links, records or rules in the text, so that the compiler cannot optimise the work away.
std::size_t run_reader(std::string_view reader, std::string_view text);

}  // namespace linkherd::testing
