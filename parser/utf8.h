// UTF-8 as the Unicode Standard and the WHATWG Encoding Standard define it: ill-formed sequences become one U+FFFD for
// each maximal subpart. Everything past the decoding of a file or page may rely on well-formed text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linkherd {

inline constexpr char32_t replacement_character = U'\uFFFD';

struct CodePoint {
  char32_t value = 0;
  std::uint8_t length = 0;  // bytes; 0 only at the end of the text
  bool valid = true;        // false: `value` stands for an ill-formed sequence of `length` bytes
};

// The code point that starts at `offset`; length 0 past the end.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

void append_utf8(std::string& out, char32_t code_point);

// The same into memory with room for four bytes; gives where the next one belongs.
char* write_utf8(char* at, char32_t code_point);

bool is_valid_utf8(std::string_view text);

// The same text with every ill-formed sequence replaced; `errors`, where given, is increased by their number.
std::string to_valid_utf8(std::string_view text, std::size_t* errors = nullptr);

// Number of code points; an ill-formed sequence counts as one.
std::size_t count_code_points(std::string_view text);

// At most `max_bytes` of `text`, never cut inside a code point.
std::string_view truncate_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace linkherd
