#include "parser/lists/character_references.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>

#include <gumbo.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_xml_reference_bytes = 12;
constexpr std::size_t max_reference_bytes = 40;  // the longest name has 33

constexpr bool is_reference_character(char c) { return is_ascii_alphanumeric(c) || c == '#'; }

// Returns the first <a> of the page that decode_by_gumbo() creates.
const GumboNode* find_anchor(const GumboNode* node) {
  while (node != nullptr && node->type == GUMBO_NODE_ELEMENT) {
    if (node->v.element.tag == GUMBO_TAG_A) return node;
    const GumboVector& children = node->v.element.children;
    node = children.length == 0 ? nullptr : static_cast<const GumboNode*>(children.data[children.length - 1]);
  }
  return nullptr;
}

// gumbo contains HTML's table of names but offers no lookup function, so the value is parsed as an attribute of a page
// with one link.
std::string decode_by_gumbo(std::string_view text) {
  std::string page = "<a href=\"";
  for (const char c : text) c == '"' ? page.append("&quot;") : page.append(1, c);
  page.append("\">");
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  const auto destroy = [&](GumboOutput* output) { gumbo_destroy_output(&options, output); };
  const std::unique_ptr<GumboOutput, decltype(destroy)> output(
      gumbo_parse_with_options(&options, page.data(), page.size()), destroy);
  const GumboNode* anchor = find_anchor(output->root);
  const GumboAttribute* href = anchor == nullptr ? nullptr : gumbo_get_attribute(&anchor->v.element.attributes, "href");
  return href == nullptr ? std::string(text) : std::string(href->value);
}

// Returns the length of a possible reference at the "&" that starts `text`, including the ";", or 0.
std::size_t reference_length(std::string_view text) {
  const std::string_view body = text.substr(1, max_reference_bytes);
  const auto length = static_cast<std::size_t>(std::ranges::find_if_not(body, is_reference_character) - body.begin());
  const bool sign_inside = body.substr(0, length).find('#', 1) != std::string_view::npos;
  return length > 0 && !sign_inside && length < body.size() && body[length] == ';' ? length + 2 : 0;
}

// Returns true if the "&" that starts `text` may begin a reference that needs HTML's table of names.
bool needs_table(std::string_view text) {
  const std::string_view body = text.substr(1);
  const auto length = static_cast<std::size_t>(std::ranges::find_if_not(body, is_reference_character) - body.begin());
  if (length == 0) return false;
  // HTML does not decode "&name=" without ";" in attribute values.
  return !(length < body.size() && body[length] == '=');
}

struct XmlEntity {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<XmlEntity, 5> entities{{{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}}};

// Decodes the XML reference "&name;". Empty if XML does not define it.
std::string meaning_in_xml(std::string_view name) {
  const auto* known = std::ranges::find(entities, name, &XmlEntity::name);
  if (known != entities.end()) return std::string(known->meaning);
  if (name.size() < 2 || name.front() != '#') return {};
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  std::string meaning;
  append_utf8(meaning, value != 0 && is_scalar_value(value) ? static_cast<char32_t>(value) : replacement_character);
  return meaning;
}

// The result of decoding a common reference without gumbo, which takes a hundred times as long. Nearly all references
// are common. `length` includes the ";". `meaning` is empty for other references.
struct UsualReference {
  std::string meaning;
  std::size_t length = 0;
};
UsualReference usual_reference(std::string_view text) {
  const std::size_t length = text.substr(0, max_xml_reference_bytes).find(';');
  if (length == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, length - 1);
  std::string meaning = name == "nbsp" ? "\u00A0" : meaning_in_xml(name);
  // HTML interprets some numbers as Windows-1252.
  const bool is_plain = meaning.size() == 1 && meaning.front() >= ' ' && meaning.front() <= '~';
  if (name.starts_with('#') && !is_plain) return {};
  return {std::move(meaning), length + 1};
}

}  // namespace

std::string decode_attribute_value(std::string_view text) {
  if (text.find('&') == std::string_view::npos) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t ampersand = std::min(text.find('&', at), text.size());
    result.append(text.substr(at, ampersand - at));
    if (ampersand == text.size()) break;
    const std::string_view rest = text.substr(ampersand);
    if (const UsualReference usual = usual_reference(rest); !usual.meaning.empty()) {
      result.append(usual.meaning);
      at = ampersand + usual.length;
      continue;
    }
    if (needs_table(rest)) return result + decode_by_gumbo(rest);
    result.push_back('&');
    at = ampersand + 1;
  }
  return result;
}

std::string decode_references(std::string_view text) {
  if (text.find('&') == std::string_view::npos) return std::string(text);
  // Any other "&" is escaped as HTML requires. Then the whole text is decoded at once.
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t ampersand = std::min(text.find('&', at), text.size());
    escaped.append(text.substr(at, ampersand - at));
    if (ampersand == text.size()) break;
    const std::size_t length = reference_length(text.substr(ampersand));
    escaped.append(length == 0 ? "&amp;" : text.substr(ampersand, length));
    at = ampersand + std::max<std::size_t>(length, 1);
  }
  return decode_attribute_value(escaped);
}

void unescape_xml(std::string_view document, TextRange range, MappedText& text) {
  const std::size_t end = range.offset + range.length;
  document = document.substr(0, end);
  for (std::size_t at = range.offset; at < end;) {
    const std::size_t ampersand = std::min(document.find('&', at), end);
    text.copy(document, {at, ampersand - at});
    if (ampersand == end) return;
    const std::size_t length = document.substr(ampersand, max_xml_reference_bytes).find(';');
    const std::string meaning =
        length == std::string_view::npos ? std::string() : meaning_in_xml(document.substr(ampersand + 1, length - 1));
    if (meaning.empty()) {
      text.copy(document, {ampersand, 1});
      at = ampersand + 1;
    } else {
      text.append_decoded({ampersand, length + 1}, meaning);
      at = ampersand + length + 1;
    }
  }
}

}  // namespace linkherd::parser
