// Formats HTTP/1.1 responses, independently of how they are delivered.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/page.h"

namespace linkherd::tests {

// Returns the status line and the headers, including the empty line. `keep_alive`: the connection stays open for more
// requests.
std::string response_head(const Page& page, bool keep_alive);

// Returns one chunk of the chunked transfer coding; an empty text gives the last chunk.
std::string chunk(std::string_view text);

// Returns true if a response with this status never has a body (1xx, 204, 304).
bool is_bodiless(int status);

}  // namespace linkherd::tests
