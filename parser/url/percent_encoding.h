// Percent-encoding as the URL Standard defines it, on bytes: bytes that are not UTF-8 are escaped unchanged, never
// replaced.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "parser/ascii.h"

namespace linkherd::parser {

// A set of bytes, built at compile time.
class ByteSet {
 public:
  constexpr ByteSet() = default;
  constexpr bool contains(char c) const { return members_[static_cast<unsigned char>(c)]; }
  constexpr ByteSet with(std::string_view more) const {
    ByteSet result = *this;
    for (const char c : more) result.members_[static_cast<unsigned char>(c)] = true;
    return result;
  }
  constexpr ByteSet with_range(unsigned first, unsigned last) const {
    ByteSet result = *this;
    for (unsigned byte = first; byte <= last; ++byte) result.members_[byte] = true;
    return result;
  }
  constexpr ByteSet complement() const {
    ByteSet result;
    for (std::size_t byte = 0; byte < members_.size(); ++byte) result.members_[byte] = !members_[byte];
    return result;
  }

 private:
  std::array<bool, 256> members_{};
};

// The percent-encode sets of the standard; each extends another one.
inline constexpr ByteSet c0_control_encode_set = ByteSet().with_range(0x00, 0x1F).with_range(0x7F, 0xFF);
inline constexpr ByteSet fragment_encode_set = c0_control_encode_set.with(" \"<>`");
inline constexpr ByteSet query_encode_set = c0_control_encode_set.with(" \"#<>");
inline constexpr ByteSet special_query_encode_set = query_encode_set.with("'");
inline constexpr ByteSet path_encode_set = query_encode_set.with("?^`{}");
inline constexpr ByteSet userinfo_encode_set = path_encode_set.with("/:;=@[\\]|");

// RFC 3986: characters that mean the same escaped and unescaped.
inline constexpr ByteSet unreserved_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("-._~");

// For a text that becomes one component, such as a URL in the query of another one.
inline constexpr ByteSet component_encode_set = unreserved_characters.complement();

// Appends `text` with the bytes of `set` as "%XX".
void append_percent_encoded(std::string& out, std::string_view text, const ByteSet& set);

std::string percent_encode_component(std::string_view text);

// Like append_percent_encoded(), for a part of a URL from a list. Returns has_invalid_url_unit() of the text.
bool append_url_text(std::string& out, std::string_view text, const ByteSet& set);

// Returns the byte of the escape at `offset`, or -1 if there is no "%XX".
int escaped_byte(std::string_view text, std::size_t offset);

// Decodes every escape; a "%" that starts no escape is kept.
std::string percent_decode(std::string_view text);

// Decodes escapes of unreserved characters and writes all other escapes in upper case.
std::string normalize_escapes(std::string_view text);

// Returns true if the standard reports a validation error: a character that no URL may contain, or a "%" that starts
// no escape.
bool has_invalid_url_unit(std::string_view text);

}  // namespace linkherd::parser
