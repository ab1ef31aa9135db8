// Invariants of link extraction that hold for arbitrary bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "parser/lists/extract_links.h"

namespace linkherd::parser {

// Extracts the links of a list and aborts if an occurrence has a wrong position. The first byte selects the options and
// one of the formats; the second one selects the site generator and thus the dialect.
void fuzz_list(const std::uint8_t* data, std::size_t size, std::span<const DocumentFormat> formats);

}  // namespace linkherd::parser
