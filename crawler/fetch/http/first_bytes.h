// Reads what a server sent in place of a status line: a response behind empty lines, or another protocol. Pure rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linkherd::crawler {

enum class FirstBytes {
  undecided,  // more of them will show
  response,   // an HTTP response, from response_start() on
  foreign,    // no HTTP
};

// Browsers skip empty lines before the status line, and up to four other bytes; so does this.
FirstBytes read_first_bytes(std::string_view bytes);
// Where the status line begins. nullopt: there is none.
std::optional<std::size_t> response_start_in(std::string_view bytes);

// Whether the response that `bytes` begin with has come whole. One without a length ends with its connection.
bool is_whole_response(std::string_view bytes, bool answers_head);

// "the server speaks SSH, not HTTP".
std::string describe_foreign_bytes(std::string_view bytes);

}  // namespace linkherd::crawler
