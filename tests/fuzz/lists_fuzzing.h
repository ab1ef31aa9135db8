// Invariants of link extraction that hold for arbitrary bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parser/lists/extract_links.h"

namespace linkherd::parser {

// Extracts the links of a list in this format and aborts if an occurrence has a wrong position. The first byte selects
// the options.
void fuzz_list(const std::uint8_t* data, std::size_t size, DocumentFormat format);

}  // namespace linkherd::parser
