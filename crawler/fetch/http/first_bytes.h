// Classifies what a server sent instead of a status line: a response after empty lines, or another protocol. Pure
// rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linkherd::crawler {

enum class FirstBytes {
  undecided,  // more bytes are needed
  response,   // an HTTP response that begins at response_start_in()
  foreign,    // not HTTP
};

// Like browsers, skips empty lines and up to four other bytes before the status line.
FirstBytes read_first_bytes(std::string_view bytes);
// Returns the offset of the status line, or nullopt if there is none.
std::optional<std::size_t> response_start_in(std::string_view bytes);

// Returns true if `bytes` contain the whole response. A response without a length ends with its connection.
bool is_whole_response(std::string_view bytes, bool answers_head);

// Returns a message such as "the server speaks SSH, not HTTP".
std::string describe_foreign_bytes(std::string_view bytes);

}  // namespace linkherd::crawler
