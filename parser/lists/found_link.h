// What the reader of a list format returns, before lines are counted and targets are resolved: positions and texts
// only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"

namespace linkherd::parser {

// Texts are kept so that people recognise a link. The limits bound the memory that a long heading costs for every link
// of a hostile list.
inline constexpr std::size_t max_link_text_bytes = 1000;
inline constexpr std::size_t max_heading_bytes = 1000;       // while reading …
inline constexpr std::size_t max_shown_heading_bytes = 200;  // … and in each link occurrence

struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct FoundLink {
  std::size_t offset = 0;  // offset of the URL as written, in bytes of the list …
  std::size_t length = 0;  // … and its length
  LinkElement element = LinkElement::link;
  std::string target;  // the target with escapes and character references decoded
  std::string text;
  bool unbalanced_bracket = false;
  std::string rel{};              // of HTML links
  std::string_view ignored_by{};  // the directive or attribute that excludes the link; points to a constant
};

struct FoundHeading {
  std::size_t offset = 0;
  std::string text;
};

// The size of a list divided by this is reserved as capacity. Unused capacity costs no memory, because its pages are
// not touched; growing a vector copies all elements.
inline constexpr std::size_t bytes_per_link = 64;

struct FoundLinks {
  std::vector<FoundLink> links;        // in any order; of several at one offset the first is used
  std::vector<FoundHeading> headings;  // in any order
  std::vector<TextRange> comments;     // in any order; only comments with ignore directives
  std::vector<std::string> anchors;    // in any order; values of HTML's `id` and `name`
  std::string base;                    // of HTML's <base>; empty if there is none
};

}  // namespace linkherd::parser
