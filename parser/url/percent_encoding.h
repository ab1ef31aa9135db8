// Percent-encoding as the URL Standard defines it, on bytes: a byte that is no UTF-8 is escaped as it is, never
// replaced.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "parser/ascii.h"

namespace linkherd::parser {

// A set of bytes, made at compile time.
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

 private:
  std::array<bool, 256> members_{};
};

// The standard's percent-encode sets, each built on another as it builds them.
inline constexpr ByteSet c0_control_encode_set = ByteSet().with_range(0x00, 0x1F).with_range(0x7F, 0xFF);
inline constexpr ByteSet fragment_encode_set = c0_control_encode_set.with(" \"<>`");
inline constexpr ByteSet query_encode_set = c0_control_encode_set.with(" \"#<>");
inline constexpr ByteSet special_query_encode_set = query_encode_set.with("'");
inline constexpr ByteSet path_encode_set = query_encode_set.with("?^`{}");
inline constexpr ByteSet userinfo_encode_set = path_encode_set.with("/:;=@[\\]|");

// RFC 3986: what means the same whether it is escaped or not.
inline constexpr ByteSet unreserved_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("-._~");

// Appends `text` with the bytes of `set` as "%XX".
void append_percent_encoded(std::string& out, std::string_view text, const ByteSet& set);

// The same, for text that is part of a URL as somebody wrote it: true where it is not as it should be, as
// has_invalid_url_unit says.
bool append_url_text(std::string& out, std::string_view text, const ByteSet& set);

// The byte that the escape at `offset` stands for; -1 where no "%XX" starts there.
int escaped_byte(std::string_view text, std::size_t offset);

// Every escape replaced by its byte; a "%" that starts no escape stays.
std::string percent_decode(std::string_view text);

// Escapes of unreserved characters decoded, all other escapes in upper case.
std::string normalize_escapes(std::string_view text);

// True where the standard reports a validation error: a character that no URL may contain, or a "%" that starts no
// escape.
bool has_invalid_url_unit(std::string_view text);

}  // namespace linkherd::parser
