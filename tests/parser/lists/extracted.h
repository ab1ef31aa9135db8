// Formats the links of a text as lines, so that a test can state the expected ones.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "parser/lists/extract_links.h"

namespace doctest {
template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n  " + line;
    return text.c_str();
  }
};
}  // namespace doctest

namespace linkherd::parser {

inline std::vector<LinkOccurrence> extract_links(const DocumentText& list, const ExtractOptions& options) {
  std::vector<LinkOccurrence> links;
  for_each_link(list, options, [&](LinkOccurrence& link) { links.push_back(link); });
  return links;
}

inline std::vector<LinkOccurrence> links_of(std::string_view text, DocumentFormat format,
                                            const ExtractOptions& options = {}) {
  std::vector<LinkOccurrence> links = extract_links({"list", text, format}, options);
  // Invariants of all formats: the text at the position of a link is its URL, and links are in text order.
  CHECK(
      std::ranges::all_of(links, [&](const auto& link) { return text.substr(link.offset, link.length) == link.url; }));
  CHECK(std::ranges::is_sorted(links, {}, &LinkOccurrence::offset));
  return links;
}

// "line:column:offset url [element] text"
inline std::string format_link(const LinkOccurrence& link) {
  return fmt::format("{}:{}:{} {} [{}] {}", link.line, link.column, link.offset, link.url,
                     enum_name(link_element_names, link.element), link.text);
}

inline std::vector<std::string> format_links(std::string_view text, DocumentFormat format,
                                             const ExtractOptions& options = {}) {
  std::vector<std::string> lines;
  for (const LinkOccurrence& link : links_of(text, format, options)) lines.push_back(format_link(link));
  return lines;
}

}  // namespace linkherd::parser
