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

// Whether it is a Unicode scalar value: no surrogate, and not beyond U+10FFFF.
constexpr bool is_scalar_value(char32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

// Whether the byte is one of a code point but not its first.
constexpr bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Where the last code point of `text` starts; 0 where it is empty.
std::size_t last_code_point_start(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

// The same into at least four bytes of memory; returns where the next one belongs.
char* write_utf8(char* at, char32_t code_point);

bool is_valid_utf8(std::string_view text);

// The same text with every ill-formed sequence replaced; `errors`, where given, is increased by their number.
std::string to_valid_utf8(std::string_view text, std::size_t* errors = nullptr);

// Number of code points; an ill-formed sequence counts as one.
std::size_t count_code_points(std::string_view text);

// At most `max_bytes` of `text`, never cut inside a code point.
std::string_view truncate_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace linkherd
