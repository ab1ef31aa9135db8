#include "parser/utf8.h"

#include <array>
#include <cstring>

namespace linkherd {
namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

// The sequence length of a lead byte and the range of the second byte (Unicode Standard, table 3-7). The range is
// restricted to exclude overlong forms, surrogates and values above U+10FFFF.
struct Lead {
  std::uint8_t length = 0;  // 0 if no sequence starts with this byte
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

// Returns the start of the first ill-formed sequence at or after `offset`, or the size of the text.
std::size_t valid_end(std::string_view text, std::size_t offset) {
  while ((offset = ascii_end(text, offset)) < text.size()) {
    const CodePoint point = decode_utf8(text, offset);
    if (!point.valid) break;
    offset += point.length;
  }
  return offset;
}

}  // namespace

std::size_t ascii_end(std::string_view text, std::size_t offset) {
  // Reads eight bytes at a time, because most text is ASCII.
  for (std::uint64_t eight = 0; offset + sizeof eight <= text.size(); offset += sizeof eight) {
    std::memcpy(&eight, text.data() + offset, sizeof eight);
    if ((eight & 0x8080808080808080U) != 0) break;
  }
  while (offset < text.size() && byte_at(text, offset) < 0x80) ++offset;
  return offset;
}

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) return {};
  const unsigned char first = byte_at(text, offset);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {replacement_character, 1, false};
  // The lead byte holds 7 - length bits of the value, and each later byte holds six.
  char32_t value = first & (0x7FU >> lead.length);
  for (std::uint8_t i = 1; i < lead.length; ++i) {
    const unsigned char next = offset + i < text.size() ? byte_at(text, offset + i) : 0;
    const unsigned char min = i == 1 ? lead.second_min : 0x80;
    const unsigned char max = i == 1 ? lead.second_max : 0xBF;
    if (next < min || next > max) return {replacement_character, i, false};
    value = (value << 6) | (next & 0x3FU);
  }
  return {value, lead.length, true};
}

char* write_utf8(char* at, char32_t code_point) {
  // Surrogates and values above U+10FFFF cannot be encoded.
  if (!is_scalar_value(code_point)) code_point = replacement_character;
  const auto lead = [&at](char32_t byte) { *at++ = static_cast<char>(byte); };
  const auto tail = [&at](char32_t bits) { *at++ = static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code_point < 0x80) {
    lead(code_point);
  } else if (code_point < 0x800) {
    lead(0xC0U | (code_point >> 6));
    tail(code_point);
  } else if (code_point < 0x10000) {
    lead(0xE0U | (code_point >> 12));
    tail(code_point >> 6);
    tail(code_point);
  } else {
    lead(0xF0U | (code_point >> 18));
    tail(code_point >> 12);
    tail(code_point >> 6);
    tail(code_point);
  }
  return at;
}

std::size_t last_code_point_start(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && text.size() - start < 4) {
    --start;
    if (!is_continuation_byte(text[start])) break;
  }
  return start;
}

void append_utf8(std::string& out, char32_t code_point) {
  std::array<char, 4> bytes{};
  out.append(bytes.data(), write_utf8(bytes.data(), code_point));
}

bool is_valid_utf8(std::string_view text) { return valid_end(text, 0) == text.size(); }

std::string to_valid_utf8(std::string_view text, std::size_t* errors) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t offset = 0;;) {
    const std::size_t end = valid_end(text, offset);
    out.append(text, offset, end - offset);
    if (end == text.size()) return out;
    append_utf8(out, replacement_character);
    if (errors != nullptr) ++*errors;
    offset = end + decode_utf8(text, end).length;
  }
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t end = ascii_end(text, offset);
    count += end - offset;
    offset = end;
    if (offset == text.size()) break;
    offset += decode_utf8(text, offset).length;
    ++count;
  }
  return count;
}

std::string_view truncate_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  // A code point that crosses the cut starts at most three bytes before it. In ill-formed text any cut is valid.
  for (std::size_t back = 1; back <= 3 && back <= max_bytes; ++back) {
    const std::size_t start = max_bytes - back;
    if (is_continuation_byte(text[start])) continue;
    const CodePoint point = decode_utf8(text, start);
    if (point.valid && start + point.length > max_bytes) return text.substr(0, start);
    break;
  }
  return text.substr(0, max_bytes);
}

}  // namespace linkherd
