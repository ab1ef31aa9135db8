#include "parser/metadata/text_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 23> entities{{
    {"amp", "&"},    {"lt", "<"},    {"gt", ">"},     {"quot", "\""},  {"apos", "'"},  {"nbsp", " "},
    {"ndash", "–"},  {"mdash", "—"}, {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"}, {"rdquo", "”"},
    {"laquo", "«"},  {"raquo", "»"}, {"hellip", "…"}, {"middot", "·"}, {"szlig", "ß"}, {"oslash", "ø"},
    {"Oslash", "Ø"}, {"aelig", "æ"}, {"AElig", "Æ"},  {"shy", ""},     {"iexcl", "¡"},
}};

// Suffixes of the entity names of accented letters ("&eacute;"), each with its combining character.
constexpr std::array<std::pair<std::string_view, UChar32>, 8> letter_signs{{
    {"acute", 0x301},
    {"grave", 0x300},
    {"circ", 0x302},
    {"uml", 0x308},
    {"tilde", 0x303},
    {"cedil", 0x327},
    {"ring", 0x30A},
    {"caron", 0x30C},
}};

std::optional<std::string> letter_with_sign(std::string_view reference) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* composer = unorm2_getNFCInstance(&status);
  if (U_FAILURE(status) || reference.size() < 4 || !is_ascii_letter(reference.front())) return std::nullopt;
  const auto* sign = std::ranges::find(letter_signs, reference.substr(1), &std::pair<std::string_view, UChar32>::first);
  if (sign == letter_signs.end()) return std::nullopt;
  const UChar32 letter = unorm2_composePair(composer, reference.front(), sign->second);
  if (letter < 0) return std::nullopt;
  std::string text;
  append_utf8(text, static_cast<char32_t>(letter));
  return text;
}

// Decodes the reference between "&" and ";": "#39", "#x27" or "amp". Returns nullopt for other texts.
std::optional<std::string> decode_reference(std::string_view reference) {
  if (!reference.starts_with('#')) {
    const auto* found = std::ranges::find(entities, reference, &std::pair<std::string_view, std::string_view>::first);
    return found == entities.end() ? letter_with_sign(reference) : std::string(found->second);
  }
  reference.remove_prefix(1);
  const bool hex = !reference.empty() && ascii_lower(reference.front()) == 'x';
  if (hex) reference.remove_prefix(1);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(reference.data(), reference.data() + reference.size(), value, hex ? 16 : 10);
  const bool is_character = value != 0 && is_scalar_value(value);
  if (error != std::errc() || end != reference.data() + reference.size() || !is_character) return std::nullopt;
  std::string text;
  append_utf8(text, static_cast<char32_t>(value));
  return text;
}

std::string decode_references(std::string_view text) {
  constexpr std::size_t max_digits = 10;
  std::string decoded;
  while (!text.empty()) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    decoded += text.substr(0, ampersand);
    text.remove_prefix(ampersand);
    if (text.empty()) break;
    const std::size_t semicolon = text.substr(0, max_digits).find(';');
    std::optional<std::string> character;
    if (semicolon != std::string_view::npos) character = decode_reference(text.substr(1, semicolon - 1));
    decoded += character.value_or("&");
    text.remove_prefix(character ? semicolon + 1 : 1);
  }
  return decoded;
}

std::string without_soft_hyphens(std::string text) {
  constexpr std::string_view hyphen = "\xC2\xAD";
  std::size_t kept = std::min(text.find(hyphen), text.size());
  for (std::size_t at = kept; at < text.size();) {
    const std::size_t begin = at + hyphen.size();
    at = std::min(text.find(hyphen, begin), text.size());
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(at),
              text.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += at - begin;
  }
  text.resize(kept);
  return text;
}

}  // namespace

std::string clean_value(std::string_view text, std::size_t max_code_points) {
  std::string value = collapse_spaces(truncate_utf8(text, max_code_points * 16));
  if (value.find('&') != std::string::npos) value = collapse_spaces(decode_references(value));
  value = without_soft_hyphens(std::move(value));
  std::size_t at = 0;
  for (std::size_t count = 0; count < max_code_points && at < value.size(); ++count) {
    at += decode_utf8(value, at).length;
  }
  value.resize(at);
  return value;
}

std::string extract_letters(std::string_view text) {
  std::string letters;
  for (std::size_t at = 0; at < text.size();) {
    // Most of a text is ASCII, which needs no decoding.
    const std::size_t end = ascii_end(text, at);
    std::size_t size = letters.size();
    letters.resize(size + end - at);
    for (; at < end; ++at) {
      if (is_ascii_alphanumeric(text[at])) letters[size++] = ascii_lower(text[at]);
    }
    letters.resize(size);
    while (at < text.size() && is_not_ascii(text[at])) {
      const CodePoint point = decode_utf8(text, at);
      at += point.length;
      const auto c = static_cast<UChar32>(point.value);
      if (u_isalnum(c) != 0) append_utf8(letters, static_cast<char32_t>(u_foldCase(c, U_FOLD_CASE_DEFAULT)));
    }
  }
  return letters;
}

bool agree(std::string_view letters_a, std::string_view letters_b) {
  if (letters_a.size() > letters_b.size()) std::swap(letters_a, letters_b);
  if (letters_a.empty()) return false;
  if (letters_a == letters_b) return true;
  return letters_a.size() * 3 >= letters_b.size() && letters_b.find(letters_a) != std::string_view::npos;
}

bool contains_letter(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (u_isalpha(static_cast<UChar32>(point.value)) != 0) return true;
  }
  return false;
}

std::size_t count_words(std::string_view collapsed) {
  if (collapsed.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::count(collapsed, ' ')) + 1;
}

}  // namespace linkherd::parser
