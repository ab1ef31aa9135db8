// Checks the properties that links from any bytes must have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parser/lists/extract_links.h"

namespace linkherd::parser {

// Reads the bytes as a list of this format; aborts where a place is wrong. The first byte chooses the options.
void fuzz_list(const std::uint8_t* data, std::size_t size, ListFormat format);

}  // namespace linkherd::parser
