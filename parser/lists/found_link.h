// What the reader of one list format finds, before lines are counted and targets resolved: places and texts only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"

namespace linkherd::parser {

// Texts are kept for people to recognise a link by. The limits keep a hostile list from costing a long heading
// for every link.
inline constexpr std::size_t max_link_text_bytes = 1000;
inline constexpr std::size_t max_heading_bytes = 1000;       // as they are found …
inline constexpr std::size_t max_shown_heading_bytes = 200;  // … and as they are copied into every link below

struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct FoundLink {
  std::size_t offset = 0;  // of the URL as written, in bytes of the list …
  std::size_t length = 0;  // … and its length
  LinkElement element = LinkElement::link;
  std::string target;  // what it says once the format's escapes and character references are undone
  std::string text;
  bool unbalanced_bracket = false;
  std::string rel{};              // of HTML
  std::string_view ignored_by{};  // the name of a directive or attribute, which is a constant
};

struct FoundHeading {
  std::size_t offset = 0;
  std::string text;
};

// A list of nothing but links has one in about so many bytes. Capacity for as many is reserved at once: memory that
// is not touched costs nothing, while growing copies all elements.
inline constexpr std::size_t bytes_per_link = 64;

struct FoundLinks {
  std::vector<FoundLink> links;        // in any order; of two at one offset the first counts
  std::vector<FoundHeading> headings;  // in any order
  std::vector<TextRange> comments;     // in any order; those that say which links to ignore
  std::vector<std::string> anchors;    // what HTML's `id` and `name` say, in any order
  std::string base;                    // of HTML's <base>; empty where there is none
};

}  // namespace linkherd::parser
