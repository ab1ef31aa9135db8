// UTF-8 decoding and encoding as defined by the Unicode Standard and the WHATWG Encoding Standard. Each maximal subpart
// of an ill-formed sequence is replaced by one U+FFFD. Files and pages are decoded once, so later code may assume
// well-formed text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linkherd {

inline constexpr char32_t replacement_character = U'\uFFFD';

struct CodePoint {
  char32_t value = 0;
  std::uint8_t length = 0;  // in bytes; 0 only at the end of the text
  bool valid = true;        // false if `value` replaces an ill-formed sequence of `length` bytes
};

// Returns the code point at `offset`. Its length is 0 at or past the end of the text.
CodePoint decode_utf8(std::string_view text, std::size_t offset);

// Returns the offset of the first non-ASCII byte at or after `offset`, or the size of the text.
std::size_t ascii_end(std::string_view text, std::size_t offset);

// Returns true for a Unicode scalar value: at most U+10FFFF and not a surrogate.
constexpr bool is_scalar_value(char32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

// Returns true for any byte of a multi-byte sequence except the first.
constexpr bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Returns the offset of the last code point of `text`, or 0 if it is empty.
std::size_t last_code_point_start(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

// Writes a code point to `at`, which must have room for at least four bytes. Returns the end of the written bytes.
char* write_utf8(char* at, char32_t code_point);

bool is_valid_utf8(std::string_view text);

// Returns the text with every ill-formed sequence replaced. Adds their number to `*errors` if it is not null.
std::string to_valid_utf8(std::string_view text, std::size_t* errors = nullptr);

// Returns the number of code points. An ill-formed sequence counts as one.
std::size_t count_code_points(std::string_view text);

// Returns the first `max_bytes` bytes of `text` or fewer, never cut inside a code point.
std::string_view truncate_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace linkherd
