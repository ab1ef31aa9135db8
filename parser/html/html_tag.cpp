#include "parser/html/html_tag.h"

#include <algorithm>
#include <array>
#include <optional>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

using Set = std::array<bool, 256>;

// A table, as it is asked of every letter in a tag.
constexpr Set set_of(std::string_view characters) {
  Set set{};
  for (const char c : characters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr Set name_ends = set_of("\t\n\f\r />");
constexpr Set attribute_name_ends = set_of("\t\n\f\r />=");
constexpr Set value_ends = set_of("\t\n\f\r >");

void skip_to(const Set& ends, std::string_view text, std::size_t& at) {
  while (at < text.size() && !ends[static_cast<unsigned char>(text[at])]) ++at;
}

std::optional<HtmlAttribute> read_attribute(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  // A "=" in front belongs to the name, as browsers have it.
  if (at < text.size() && text[at] == '=') ++at;
  skip_to(attribute_name_ends, text, at);
  HtmlAttribute attribute{.name = text.substr(begin, at - begin), .value = {}};
  while (at < text.size() && is_ascii_space(text[at])) ++at;
  if (at < text.size() && text[at] == '=') {
    ++at;
    while (at < text.size() && is_ascii_space(text[at])) ++at;
    if (at >= text.size()) return std::nullopt;
    if (const char quote = text[at]; quote == '"' || quote == '\'') {
      const std::size_t close = text.find(quote, at + 1);
      if (close == std::string_view::npos) {
        at = text.size();
        return std::nullopt;
      }
      attribute.value = text.substr(at + 1, close - at - 1);
      at = close + 1;
    } else {
      const std::size_t value = at;
      skip_to(value_ends, text, at);
      attribute.value = text.substr(value, at - value);
    }
  }
  return attribute;
}

}  // namespace

bool read_html_tag(std::string_view text, std::size_t& at, std::size_t max_attributes, HtmlTag& tag) {
  at += text[at + 1] == '/' ? std::size_t{2} : std::size_t{1};
  tag.name.clear();
  tag.id = GUMBO_TAG_UNKNOWN;
  tag.attributes.clear();
  tag.self_closing = false;
  tag.attributes_dropped = false;
  const std::size_t begin = at;
  skip_to(name_ends, text, at);
  for (const char c : text.substr(begin, at - begin)) {
    if (c != '\0') tag.name += ascii_lower(c);
  }
  if (tag.name.size() <= 32) tag.id = gumbo_tagn_enum(tag.name.data(), static_cast<unsigned>(tag.name.size()));
  while (at < text.size() && text[at] != '>') {
    if (is_ascii_space(text[at]) || text[at] == '/') {
      tag.self_closing = text[at] == '/';
      ++at;
      continue;
    }
    tag.self_closing = false;
    const std::optional<HtmlAttribute> attribute = read_attribute(text, at);
    if (!attribute) return false;
    if (tag.attributes.size() < max_attributes) {
      tag.attributes.push_back(*attribute);
    } else {
      tag.attributes_dropped = true;
    }
  }
  if (at >= text.size()) return false;
  ++at;
  return true;
}

std::string_view take_raw_text(std::string_view text, std::size_t& at, std::string_view name) {
  const std::size_t begin = at;
  for (std::size_t end = text.find("</", at); end != std::string_view::npos; end = text.find("</", end + 2)) {
    const std::string_view rest = text.substr(end + 2);
    if (!starts_ignoring_case(rest, name)) continue;
    const char behind = rest.size() > name.size() ? rest[name.size()] : '>';
    if (!is_ascii_space(behind) && behind != '>' && behind != '/') continue;
    at = end;
    skip_past(text, at, ">");
    return text.substr(begin, end - begin);
  }
  at = text.size();
  return text.substr(begin);
}

void skip_past(std::string_view text, std::size_t& at, std::string_view end) {
  const std::size_t found = text.find(end, at);
  at = found == std::string_view::npos ? text.size() : found + end.size();
}

}  // namespace linkherd::parser
