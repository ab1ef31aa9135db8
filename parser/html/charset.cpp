#include "parser/html/charset.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/charset_detection.h"
#include "parser/html/encodings.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Properties of the bytes, before any label is read.
struct ByteProperties {
  std::string_view bytes;
  bool valid_utf8 = false;
  bool escapes = false;  // "ESC $": ISO-2022-JP, which is ASCII only and therefore valid UTF-8

  // Counted on demand, because most pages do not need it.
  std::size_t high_bytes() const { return static_cast<std::size_t>(std::ranges::count_if(bytes, is_not_ascii)); }
};

ByteProperties analyse_bytes(std::string_view bytes) {
  return {.bytes = bytes, .valid_utf8 = is_valid_utf8(bytes), .escapes = bytes.find("\x1B$") != std::string_view::npos};
}

DecodedText decoded_by(const Encoding& encoding, CharsetSource source, Conversion conversion) {
  return {.text = std::move(conversion.text),
          .charset = std::string(encoding.name),
          .source = source,
          .errors = conversion.errors};
}

// `bytes` must be valid UTF-8.
DecodedText unchanged_utf8(CharsetSource source, std::string_view bytes) {
  return {.text = std::string(bytes), .charset = "utf-8", .source = source, .errors = 0};
}

DecodedText decoded_by(const Encoding& encoding, CharsetSource source, std::string_view bytes) {
  return decoded_by(encoding, source, convert_to_utf8(bytes, encoding));
}

// One ill-formed sequence (a truncated page), or 2 % of them, does not refute a label.
bool tolerable(const Conversion& conversion, const ByteProperties& properties) {
  return conversion.errors <= 1 || conversion.errors * 100 <= properties.high_bytes();
}

// Returns true if valid UTF-8 refutes the label of another encoding. Single-byte encodings decode any byte, so one
// UTF-8 sequence refutes them; a few hanzi in GBK can be valid UTF-8 by chance.
bool refuted_by_utf8(const Encoding& encoding, const ByteProperties& properties) {
  if (!properties.valid_utf8 || properties.escapes) return false;
  return encoding.kind == EncodingKind::single_byte ? properties.high_bytes() > 0 : properties.high_bytes() >= 16;
}

// Uses a label if the bytes decode by it and no stronger evidence contradicts it.
std::optional<DecodedText> decode_as_labelled(std::string_view label, CharsetSource source,
                                              const ByteProperties& properties) {
  const Encoding* encoding = find_encoding(label);
  if (encoding == nullptr) return std::nullopt;
  if (encoding->kind == EncodingKind::utf8) {
    if (properties.valid_utf8 && !properties.escapes) return unchanged_utf8(source, properties.bytes);
  } else if (refuted_by_utf8(*encoding, properties)) {
    return std::nullopt;
  }
  Conversion conversion = convert_to_utf8(properties.bytes, *encoding);
  if (!tolerable(conversion, properties)) return std::nullopt;
  return decoded_by(*encoding, source, std::move(conversion));
}

DecodedText decode_by_detection(std::string_view declared, const Encoding* east_asian,
                                const ByteProperties& properties) {
  if (east_asian != nullptr) return decoded_by(*east_asian, CharsetSource::detected, properties.bytes);
  if (const Encoding* encoding = detect_statistically(properties.bytes)) {
    Conversion conversion = convert_to_utf8(properties.bytes, *encoding);
    if (tolerable(conversion, properties)) return decoded_by(*encoding, CharsetSource::detected, std::move(conversion));
  }
  // No encoding fits. Prefer a label by which most of the page decodes.
  if (const Encoding* encoding = find_encoding(declared)) {
    Conversion conversion = convert_to_utf8(properties.bytes, *encoding);
    if (conversion.errors * 4 <= properties.high_bytes()) {
      return decoded_by(*encoding, CharsetSource::fallback, std::move(conversion));
    }
  }
  return decoded_by(*find_encoding("windows-1252"), CharsetSource::fallback, properties.bytes);
}

constexpr std::array<std::pair<std::string_view, const char*>, 3> byte_order_marks{
    {{"\xEF\xBB\xBF", "utf-8"}, {"\xFF\xFE", "utf-16le"}, {"\xFE\xFF", "utf-16be"}}};

constexpr std::string_view utf32_little_mark("\xFF\xFE\0\0", 4);
constexpr std::string_view utf32_big_mark("\0\0\xFE\xFF", 4);

// Browsers do not support UTF-32, but editors do. Its little-endian mark begins like that of UTF-16.
std::optional<DecodedText> decode_utf32(std::string_view bytes) {
  const bool is_little = bytes.starts_with(utf32_little_mark);
  if (!is_little && !bytes.starts_with(utf32_big_mark)) return std::nullopt;
  constexpr std::size_t unit = 4;
  DecodedText decoded{.text = {},
                      .charset = is_little ? "utf-32le" : "utf-32be",
                      .source = CharsetSource::byte_order_mark,
                      .errors = 0};
  for (std::size_t at = unit; at < bytes.size(); at += unit) {
    char32_t code_point = 0;
    for (std::size_t i = 0; i < unit && at + unit <= bytes.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[at + (is_little ? unit - 1 - i : i)]);
      code_point = code_point << 8U | byte;
    }
    const bool is_whole = at + unit <= bytes.size();
    const bool is_valid = is_whole && code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
    decoded.errors += is_valid ? 0 : 1;
    append_utf8(decoded.text, is_valid ? code_point : U'\uFFFD');
  }
  return decoded;
}

std::optional<DecodedText> decode_by_signature(std::string_view bytes) {
  if (auto decoded = decode_utf32(bytes)) return decoded;
  for (const auto& [mark, name] : byte_order_marks) {
    if (bytes.starts_with(mark)) {
      return decoded_by(*find_encoding(name), CharsetSource::byte_order_mark, bytes.substr(mark.size()));
    }
  }
  if (const Encoding* encoding = detect_utf16(bytes)) return decoded_by(*encoding, CharsetSource::detected, bytes);
  return std::nullopt;
}

DecodedText decode(std::string_view bytes, std::string_view http_charset, std::string_view meta_charset) {
  if (auto decoded = decode_by_signature(bytes)) return *std::move(decoded);
  const ByteProperties properties = analyse_bytes(bytes);
  const bool plain_utf8 = properties.valid_utf8 && !properties.escapes;

  // Labels of East Asian pages are often wrong: they are a default of the server or the <meta> of a template. The bytes
  // often decode by the wrong encoding without errors.
  const std::string_view declared = http_charset.empty() ? meta_charset : http_charset;
  const Encoding* east_asian = plain_utf8 ? nullptr : detect_east_asian(bytes, find_encoding(declared));
  const auto contradicted = [&](std::string_view label) {
    return east_asian != nullptr && find_encoding(label) != east_asian;
  };
  if (!contradicted(http_charset)) {
    if (auto decoded = decode_as_labelled(http_charset, CharsetSource::http, properties)) return *std::move(decoded);
  }
  if (plain_utf8) return unchanged_utf8(CharsetSource::valid_utf8, bytes);
  if (!contradicted(meta_charset)) {
    if (auto decoded = decode_as_labelled(meta_charset, CharsetSource::meta, properties)) return *std::move(decoded);
  }
  return decode_by_detection(declared, east_asian, properties);
}

}  // namespace

DecodedText decode_html(std::string_view bytes, std::string_view http_charset) {
  return decode(bytes, http_charset, prescan_meta_charset(bytes));
}

DecodedText decode_text(std::string_view bytes, std::string_view http_charset) {
  return decode(bytes, http_charset, {});
}

DecodedText decode_text_in_place(std::string bytes) {
  const bool has_mark =
      std::ranges::any_of(byte_order_marks, [&](const auto& mark) { return bytes.starts_with(mark.first); });
  const ByteProperties properties = analyse_bytes(bytes);
  const bool is_plain = properties.valid_utf8 && !properties.escapes && !has_mark && detect_utf16(bytes) == nullptr;
  if (!is_plain) return decode_text(std::string_view(bytes));
  return {.text = std::move(bytes), .charset = "utf-8", .source = CharsetSource::valid_utf8, .errors = 0};
}

// Detects binary data by magic numbers, then by the share of bytes that do not occur in text.

namespace {

using namespace std::string_view_literals;

constexpr std::array magic_numbers{
    "\x89PNG\r\n"sv,
    "\xFF\xD8\xFF"sv,
    "GIF87a"sv,
    "GIF89a"sv,
    "%PDF-"sv,
    "PK\x03\x04"sv,
    "PK\x05\x06"sv,
    "\x1F\x8B"sv,
    "BZh"sv,
    "\xFD"
    "7zXZ"sv,
    "7z\xBC\xAF"sv,
    "Rar!\x1A"sv,
    "\x28\xB5\x2F\xFD"sv,
    "\x7F"
    "ELF"sv,
    "\xCA\xFE\xBA\xBE"sv,
    "\xCF\xFA\xED\xFE"sv,
    "\0asm"sv,
    "OggS"sv,
    "ID3"sv,
    "fLaC"sv,
    "SQLite format 3\0"sv,
    "II*\0"sv,
    "MM\0*"sv,
    "wOFF"sv,
    "wOF2"sv,
    "\0\0\1\0"sv,
    "\xD0\xCF\x11\xE0"sv,
    "!<arch>\n"sv,
    "\x1A\x45\xDF\xA3"sv,
};

bool has_magic_number(std::string_view bytes) {
  if (std::ranges::any_of(magic_numbers, [bytes](std::string_view magic) { return bytes.starts_with(magic); })) {
    // "BZh", "ID3" and "OggS" could begin a text; a binary file also has non-text bytes soon after.
    return bytes.substr(0, 512).find_first_of("\0\1\2\3\4\5\6\x80\xFF"sv) != std::string_view::npos ||
           bytes.starts_with("%PDF-");
  }
  if (bytes.size() > 12 && bytes.starts_with("RIFF")) return bytes.substr(4, 4).find('\0') != std::string_view::npos;
  if (bytes.size() > 12 && bytes.substr(4, 4) == "ftyp") return true;
  return bytes.starts_with("MZ") && bytes.substr(0, 512).find('\0') != std::string_view::npos;
}

}  // namespace

bool is_binary(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF") || bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return false;
  if (bytes.starts_with(utf32_big_mark)) return false;
  if (has_magic_number(bytes)) return true;
  const std::string_view head = bytes.substr(0, std::size_t{8} << 10);
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < '\t' || (byte > '\r' && byte < 0x20 && byte != 0x1B);
  };
  unsigned char any = 0;
  // without early exit, the compiler compares many bytes at once
  for (const char c : head) any |= static_cast<unsigned char>(is_control(c));
  if (any == 0) return false;
  const auto nuls = static_cast<std::size_t>(std::ranges::count(head, '\0'));
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(head, is_control)) - nuls;
  // A text with a few NULs is damaged, but its links are still useful.
  if (nuls * 10 <= head.size() && controls * 20 <= head.size()) return false;
  return detect_utf16(bytes) == nullptr;
}

}  // namespace linkherd::parser
