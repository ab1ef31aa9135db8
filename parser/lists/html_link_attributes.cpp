#include "parser/lists/html_link_attributes.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

constexpr std::array<LinkAttribute, 41> table{{{"a", "href", LinkElement::link},
                                               {"a", "xlink:href", LinkElement::link},
                                               {"a", "ping", LinkElement::resource, ValueForm::urls},
                                               {"area", "href", LinkElement::link},
                                               {"area", "ping", LinkElement::resource, ValueForm::urls},
                                               {"img", "src", LinkElement::image},
                                               {"img", "srcset", LinkElement::image, ValueForm::srcset},
                                               {"img", "longdesc", LinkElement::link},
                                               {"source", "src", LinkElement::resource},
                                               {"source", "srcset", LinkElement::image, ValueForm::srcset},
                                               {"link", "href", LinkElement::resource},
                                               {"link", "imagesrcset", LinkElement::image, ValueForm::srcset},
                                               {"script", "src", LinkElement::resource},
                                               {"iframe", "src", LinkElement::resource},
                                               {"iframe", "srcdoc", LinkElement::resource, ValueForm::page},
                                               {"frame", "src", LinkElement::resource},
                                               {"frame", "longdesc", LinkElement::link},
                                               {"video", "src", LinkElement::resource},
                                               {"video", "poster", LinkElement::image},
                                               {"audio", "src", LinkElement::resource},
                                               {"track", "src", LinkElement::resource},
                                               {"embed", "src", LinkElement::resource},
                                               {"object", "data", LinkElement::resource},
                                               {"applet", "code", LinkElement::resource},
                                               {"image", "href", LinkElement::image},
                                               {"image", "xlink:href", LinkElement::image},
                                               {"use", "href", LinkElement::resource},
                                               {"use", "xlink:href", LinkElement::resource},
                                               {"input", "src", LinkElement::image},
                                               {"input", "formaction", LinkElement::form},
                                               {"button", "formaction", LinkElement::form},
                                               {"form", "action", LinkElement::form},
                                               {"blockquote", "cite", LinkElement::link},
                                               {"q", "cite", LinkElement::link},
                                               {"del", "cite", LinkElement::link},
                                               {"ins", "cite", LinkElement::link},
                                               {"body", "background", LinkElement::image},
                                               {"table", "background", LinkElement::image},
                                               {"td", "background", LinkElement::image},
                                               {"html", "manifest", LinkElement::resource},
                                               {"meta", "content", LinkElement::refresh, ValueForm::refresh}}};

}  // namespace

std::span<const LinkAttribute> link_attributes() { return table; }

TextRange trimmed(std::string_view text, TextRange place) {
  const std::string_view whole = text.substr(place.offset, place.length);
  const std::string_view inside = trim_ascii(whole);
  return {place.offset + static_cast<std::size_t>(inside.data() - whole.data()), inside.size()};
}

std::vector<TextRange> srcset_urls(std::string_view text, TextRange place) {
  std::vector<TextRange> urls;
  const std::size_t end = place.offset + place.length;
  std::size_t at = place.offset;
  while (true) {
    while (at < end && (is_ascii_space(text[at]) || text[at] == ',')) ++at;
    if (at >= end) return urls;
    const std::size_t start = at;
    while (at < end && !is_ascii_space(text[at])) ++at;
    std::size_t last = at;
    while (last > start && text[last - 1] == ',') --last;
    urls.push_back({start, last - start});
    if (last != at) continue;  // a comma ended it: no descriptor follows
    for (int depth = 0; at < end && (depth > 0 || text[at] != ','); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')') depth = std::max(0, depth - 1);
    }
  }
}

std::optional<TextRange> refresh_url(std::string_view text, TextRange place) {
  const std::size_t end = place.offset + place.length;
  std::size_t at = place.offset;
  const auto skip_spaces = [&] {
    while (at < end && is_ascii_space(text[at])) ++at;
  };
  skip_spaces();
  while (at < end && (is_ascii_digit(text[at]) || text[at] == '.')) ++at;
  skip_spaces();
  if (at >= end || (text[at] != ';' && text[at] != ',')) return std::nullopt;
  ++at;
  skip_spaces();
  if (starts_ignoring_case(text.substr(at, std::min<std::size_t>(3, end - at)), "url")) {
    const std::size_t name = at;
    at += 3;
    skip_spaces();
    if (at < end && text[at] == '=') {
      ++at;
      skip_spaces();
    } else {
      at = name;
    }
  }
  if (at >= end) return std::nullopt;
  std::size_t last = end;
  if (const char quote = text[at]; quote == '"' || quote == '\'') {
    ++at;
    last = std::min(text.find(quote, at), end);
  }
  return trimmed(text, {at, last - at});
}

std::vector<TextRange> separated_urls(std::string_view text, TextRange place) {
  std::vector<TextRange> urls;
  const std::size_t end = place.offset + place.length;
  for (std::size_t at = place.offset; at < end;) {
    while (at < end && is_ascii_space(text[at])) ++at;
    const std::size_t start = at;
    while (at < end && !is_ascii_space(text[at])) ++at;
    if (at > start) urls.push_back({start, at - start});
  }
  return urls;
}

}  // namespace linkherd::parser
