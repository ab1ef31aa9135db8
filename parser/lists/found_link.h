// What the reader of a list format returns, before lines are counted and targets are resolved: positions and texts
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "parser/lists/bookmark_facts.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::parser {

// Texts are kept so that people recognise a link. The limits bound the memory that a long heading costs for every link
// of a hostile list.
inline constexpr std::size_t max_link_text_bytes = 1000;
inline constexpr std::size_t max_description_bytes = 240;
inline constexpr std::size_t max_heading_bytes = 1000;       // while reading …
inline constexpr std::size_t max_shown_heading_bytes = 200;  // … and in each link occurrence
inline constexpr std::size_t max_heading_level = 12;         // deeper headings replace each other

struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// What stands around a link in its entry. From this follows its role (assign_roles).
struct LinkContext {
  bool words_before = false;  // words between the link and what is before it: another link, or the start of its line …
  bool joined_before = false;  // … and the link continues their phrase
  bool joined_after = false;   // words after the link continue the phrase …
  bool ends_sentence = false;  // … or a full stop ends it
  bool comma_before = false;   // what it is joined to on that side is another field: after a comma …
  bool comma_after = false;    // … and before one
  bool in_aside = false;       // in a parenthesis of the text
  bool in_label = false;       // before the first dash, colon, end of a sentence, cell or line of its entry …
  bool label_ends = false;     // … and that is a dash or a colon
  bool follows_link = false;   // no words since another link
  bool is_badge = false;       // a link whose text is images
  bool is_named = false;       // in a data format: its key says that it is the page of the record, as "url" does
  bool is_embedded = false;    // in a text within a record, such as the description of a feed's item
};

// A text of its own, or a part of the list, which must outlive it.
class FoundText {
 public:
  FoundText() = default;
  FoundText(std::string text) : text_(std::move(text)) {}
  static FoundText part_of_list(std::string_view part) {
    FoundText text;
    text.text_ = part;
    return text;
  }

  std::string_view view() const {
    const auto* const part = std::get_if<std::string_view>(&text_);
    return part != nullptr ? *part : *std::get_if<std::string>(&text_);
  }
  operator std::string_view() const { return view(); }

 private:
  std::variant<std::string_view, std::string> text_;
};

struct FoundLink {
  std::size_t offset = 0;  // offset of the URL as written, in bytes of the list …
  std::size_t length = 0;  // … and its length
  LinkElement element = LinkElement::link;
  FoundText target;  // with escapes and character references decoded
  std::string text;
  bool unbalanced_bracket = false;
  std::string rel{};              // of HTML links
  std::string_view ignored_by{};  // the directive or attribute that excludes the link; points to a constant
  std::uint32_t entry = 0;        // 1 to FoundLinks::entries; 0: outside of any entry
  LinkContext context{};
  std::size_t read_at = std::string_view::npos;  // where it is used, if `offset` is that of a definition elsewhere
};

// A heading ends the headings before it that have its level or a deeper one. Without a text it only ends them.
struct FoundHeading {
  std::size_t offset = 0;
  std::string text;
  std::size_t level = 1;
  std::optional<std::string> plain{};  // in Markdown, where it differs: white space kept, without texts of images
};

// Of the link at this offset.
struct FoundFacts {
  std::size_t offset = 0;
  BookmarkFacts facts;
};

// The size of a list divided by this is reserved as capacity. Unused capacity costs no memory, because its pages are
// not touched; growing a vector copies all elements.
inline constexpr std::size_t bytes_per_link = 96;

// Entries that turned out to be none: these numbers mean the entry around them, or 0.
struct DissolvedEntries {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t entry = 0;
};

// The words of an entry outside of its links, where one of these leads to the web.
struct FoundDescription {
  std::uint32_t entry = 0;
  std::string text;
};

struct FoundLinks {
  std::vector<FoundLink> links;        // in any order; of several at one offset the first is used
  std::vector<FoundHeading> headings;  // in any order
  std::vector<FoundDescription> descriptions;
  std::vector<TextRange> comments;          // in any order; only comments with ignore directives
  std::vector<std::string> anchors;         // in any order; values of HTML's `id` and `name`
  std::string base;                         // of HTML's <base>; empty if there is none
  std::vector<DissolvedEntries> dissolved;  // in the order of their numbers
  std::vector<FoundFacts> facts;            // in any order
  std::uint32_t entries = 0;                // number of entries, some of which may have no links
};

}  // namespace linkherd::parser
