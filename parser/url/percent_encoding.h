// Percent-encoding as defined by the URL Standard, but on bytes: bytes that are not UTF-8 are escaped unchanged and
// never replaced by U+FFFD.
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

// The percent-encode sets of the standard. Each set extends an earlier one.
inline constexpr ByteSet c0_control_encode_set = ByteSet().with_range(0x00, 0x1F).with_range(0x7F, 0xFF);
inline constexpr ByteSet fragment_encode_set = c0_control_encode_set.with(" \"<>`");
inline constexpr ByteSet query_encode_set = c0_control_encode_set.with(" \"#<>");
inline constexpr ByteSet special_query_encode_set = query_encode_set.with("'");
inline constexpr ByteSet path_encode_set = query_encode_set.with("?^`{}");
inline constexpr ByteSet userinfo_encode_set = path_encode_set.with("/:;=@[\\]|");

// Characters that have the same meaning escaped and unescaped (RFC 3986).
inline constexpr ByteSet unreserved_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("-._~");

// The set for a text that becomes a single component, such as a URL in the query of another URL.
inline constexpr ByteSet component_encode_set = unreserved_characters.complement();

// Appends `text` to `out`. Bytes in `set` are written as "%XX".
void append_percent_encoded(std::string& out, std::string_view text, const ByteSet& set);

std::string percent_encode_component(std::string_view text);

// Does the same for a part of a URL from an input document, and returns has_invalid_url_unit(text).
bool append_url_text(std::string& out, std::string_view text, const ByteSet& set);

// Returns the byte encoded by the escape at `offset`, or -1 if there is no "%XX".
int escaped_byte(std::string_view text, std::size_t offset);

// Decodes every escape. A "%" that does not start an escape is kept.
std::string percent_decode(std::string_view text);

// Decodes escapes of unreserved characters and writes all other escapes in upper case.
std::string normalize_escapes(std::string_view text);

// Returns true if the standard reports an invalid-URL-unit validation error. This means a character that no URL may
// contain, or a "%" that does not start an escape.
bool has_invalid_url_unit(std::string_view text);

}  // namespace linkherd::parser
