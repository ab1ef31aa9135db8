#include "parser/url/percent_encoding.h"

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view upper_hex = "0123456789ABCDEF";

// The ASCII part of the standard's "URL code points". A separate rule covers "%".
constexpr ByteSet ascii_url_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("!$&'()*+,-./:;=?@_~");

void append_escape(std::string& out, unsigned char byte) {
  out += '%';
  out += upper_hex[byte >> 4];
  out += upper_hex[byte & 0xF];
}

constexpr bool is_url_code_point(char32_t value) {
  const bool noncharacter = (value >= 0xFDD0 && value <= 0xFDEF) || (value & 0xFFFE) == 0xFFFE;
  return value >= 0xA0 && !noncharacter;
}

}  // namespace

void append_percent_encoded(std::string& out, std::string_view text, const ByteSet& set) {
  std::size_t run = 0;  // start of the bytes that are copied unchanged
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!set.contains(text[i])) continue;
    out.append(text, run, i - run);
    append_escape(out, static_cast<unsigned char>(text[i]));
    run = i + 1;
  }
  out.append(text, run);
}

std::string percent_encode_component(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text, component_encode_set);
  return out;
}

bool append_url_text(std::string& out, std::string_view text, const ByteSet& set) {
  bool invalid = false;
  std::size_t run = 0;  // start of the bytes that are copied unchanged
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    std::size_t length = 1;
    if (!is_ascii(c)) {
      const CodePoint point = decode_utf8(text, i);
      invalid = invalid || !point.valid || !is_url_code_point(point.value);
      length = point.length;
    } else if (!ascii_url_characters.contains(c)) {
      invalid = invalid || escaped_byte(text, i) < 0;
    }
    if (set.contains(c)) {
      out.append(text, run, i - run);
      for (std::size_t end = i + length; i < end; ++i) append_escape(out, static_cast<unsigned char>(text[i]));
      run = i;
    } else {
      i += length;
    }
  }
  out.append(text, run);
  return invalid;
}

int escaped_byte(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || text[offset] != '%' || text.size() - offset < 3) return -1;
  const int high = hex_value(text[offset + 1]);
  const int low = hex_value(text[offset + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (const int byte = escaped_byte(text, i); byte >= 0) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string normalize_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  // Before this offset of `out`, decoding a digit would create an escape after a bare "%".
  std::size_t after_bare_percent = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int byte = escaped_byte(text, i);
    if (byte < 0) {
      out += text[i];
      if (text[i] == '%') after_bare_percent = out.size() + 2;
      continue;
    }
    if (unreserved_characters.contains(static_cast<char>(byte)) && out.size() >= after_bare_percent) {
      out += static_cast<char>(byte);
    } else {
      append_escape(out, static_cast<unsigned char>(byte));
    }
    i += 2;
  }
  return out;
}

bool has_invalid_url_unit(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (ascii_url_characters.contains(c)) {
      ++i;
    } else if (c == '%') {
      if (escaped_byte(text, i) < 0) return true;
      i += 3;
    } else {
      const CodePoint point = decode_utf8(text, i);
      if (!point.valid || !is_url_code_point(point.value)) return true;
      i += point.length;
    }
  }
  return false;
}

}  // namespace linkherd::parser
