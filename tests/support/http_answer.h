// Builds the bytes of an HTTP/1.1 answer, independent of how they are delivered.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/page.h"

namespace linkherd::tests {

// Status line and headers, to the empty line. `keep_alive`: whether the connection serves on afterwards.
std::string answer_head(const Page& page, bool keep_alive);

// One chunk of the chunked transfer coding; an empty text is the last.
std::string chunk(std::string_view text);

// Whether this status never has a body (1xx, 204, 304).
bool is_bodiless(int status);

}  // namespace linkherd::tests
