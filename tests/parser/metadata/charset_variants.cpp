#include "tests/parser/metadata/charset_variants.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unistr.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::tests {
namespace {

constexpr std::array encodings{"gbk", "gb18030", "big5"};
// "" means no label. Each label is wrong for some of the encodings, and common mistakes are included.
constexpr std::array labels{"gbk", "gb2312", "gb18030", "big5", "", "utf-8", "iso-8859-1", "shift_jis", "euc-kr"};

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};

// In scripts, a character is written as a JavaScript escape, and elsewhere as an HTML reference.
std::string encode(std::string_view utf8, const char* encoding, bool in_script) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, CloseConverter> converter(ucnv_open(encoding, &status));
  ucnv_setFromUCallBack(converter.get(), UCNV_FROM_U_CALLBACK_ESCAPE,
                        in_script ? UCNV_ESCAPE_JAVA : UCNV_ESCAPE_XML_DEC, nullptr, nullptr, &status);
  const auto text = icu::UnicodeString::fromUTF8({utf8.data(), static_cast<std::int32_t>(utf8.size())});
  std::string bytes(static_cast<std::size_t>(text.length()) * 8 + 16, '\0');
  const std::int32_t length = ucnv_fromUChars(converter.get(), bytes.data(), static_cast<std::int32_t>(bytes.size()),
                                              text.getBuffer(), text.length(), &status);
  if (U_FAILURE(status)) throw std::runtime_error(std::string("ICU cannot write ") + encoding);
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

bool is_hanzi(char32_t c) { return c >= 0x4E00 && c < 0xA000; }

std::size_t count_hanzi(std::string_view utf8) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = decode_utf8(utf8, at);
    at += std::max<std::size_t>(point.length, 1);
    count += static_cast<std::size_t>(is_hanzi(point.value));
  }
  return count;
}

// Splits the page into markup and scripts, alternating, beginning with markup.
std::vector<std::string_view> split_at_scripts(std::string_view page) {
  const std::string lower = parser::to_ascii_lower(page);
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < page.size();) {
    const bool in_script = pieces.size() % 2 != 0;
    const std::size_t end = std::min(lower.find(in_script ? "</script" : "<script", at), page.size());
    pieces.push_back(page.substr(at, end - at));
    at = end;
  }
  return pieces;
}

// Removes all charset labels, and adds `label` unless it is empty.
std::string relabelled(std::string_view page, std::string_view label) {
  const std::string lower = parser::to_ascii_lower(page);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = lower.find("<meta"); at != std::string::npos; at = lower.find("<meta", at + 1)) {
    const std::size_t end = lower.find('>', at);
    if (end == std::string::npos) break;
    const std::string_view tag = std::string_view(lower).substr(at, end - at);
    if (tag.find("charset=") == std::string_view::npos || tag.find("/*") != std::string_view::npos) continue;
    out += page.substr(copied, at - copied);
    copied = end + 1;
  }
  out += page.substr(copied);
  if (label.empty()) return out;
  // After <head>, or at its implied position.
  const std::string rest = parser::to_ascii_lower(out);
  const std::size_t head = rest.find("<head");
  const std::size_t html = rest.find("<html");
  const std::size_t tag = head != std::string::npos ? head : html;
  const std::size_t place = tag == std::string::npos ? 0 : rest.find('>', tag) + 1;
  return out.insert(place, "<meta charset=\"" + std::string(label) + "\">");
}

std::ptrdiff_t count_escapes(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return c == '&' || c == '\\'; });
}

std::optional<std::string> encoded_page(std::string_view page, const char* encoding) {
  std::string bytes;
  std::ptrdiff_t lost = 0;  // characters that were written as references
  const std::vector<std::string_view> pieces = split_at_scripts(page);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string piece = encode(pieces[i], encoding, i % 2 != 0);
    // The second byte of a Big5 character may be a backslash.
    lost += std::max<std::ptrdiff_t>(count_escapes(piece) - count_escapes(pieces[i]), 0);
    bytes += piece;
  }
  if (static_cast<std::size_t>(lost) * 20 > count_hanzi(page)) return std::nullopt;
  return bytes;
}

}  // namespace

bool is_chinese(std::string_view utf8) {
  std::size_t hanzi = 0;
  std::size_t others = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = decode_utf8(utf8, at);
    at += std::max<std::size_t>(point.length, 1);
    const bool is_symbol = (point.value >= 0x2000 && point.value < 0x3040) || point.value >= 0xFF00;
    if (is_hanzi(point.value)) {
      ++hanzi;
    } else if (point.value >= 0x80 && !is_symbol) {
      ++others;
    }
  }
  return hanzi >= 12 && others * 4 < hanzi;
}

std::vector<CharsetVariant> charset_variants(std::string_view utf8_page) {
  std::vector<CharsetVariant> twins;
  for (const char* encoding : encodings) {
    for (const char* label : labels) {
      std::optional<std::string> bytes = encoded_page(relabelled(utf8_page, label), encoding);
      if (!bytes) break;
      twins.push_back({std::string(encoding) + " under meta '" + label + "'", *std::move(bytes)});
    }
  }
  return twins;
}

}  // namespace linkherd::tests
