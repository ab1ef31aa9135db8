// What the reader of a list format returns, before lines are counted and targets are resolved: positions and texts
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  bool has_words_before : 1 =
      false;  // words between the link and what is before it: another link, or the start of its line …
  bool is_joined_before : 1 = false;  // … and the link continues their phrase
  bool is_joined_after : 1 = false;   // words after the link continue the phrase …
  bool ends_sentence : 1 = false;     // … or a full stop ends it
  bool comma_before : 1 = false;      // what it is joined to on that side is another field: after a comma …
  bool comma_after : 1 = false;       // … and before one
  bool is_in_aside : 1 = false;       // in a parenthesis of the text
  bool is_in_label : 1 = false;       // before the first dash, colon, end of a sentence, cell or line of its entry …
  bool label_ends : 1 = false;        // … and that is a dash or a colon
  bool follows_link : 1 = false;      // no words since another link
  bool is_badge : 1 = false;          // a link whose text is images
  bool is_named : 1 = false;          // in a data format: its key says that it is the page of the record, as "url" does
  bool is_embedded : 1 = false;       // in a text within a record, such as the description of a feed's item
};

// A text of its own, or a part of the list, which must outlive it. An own text ends where 4 GiB end.
class FoundText {
 public:
  FoundText() = default;
  FoundText(std::string_view text);
  FoundText(const std::string& text) : FoundText(std::string_view(text)) {}
  static FoundText part_of_list(std::string_view part);

  FoundText(const FoundText& other) : FoundText(other.view()) {}
  FoundText(FoundText&& other) noexcept { swap(other); }
  FoundText& operator=(FoundText other) noexcept {
    swap(other);
    return *this;
  }
  ~FoundText();

  std::string_view view() const { return {data_, size_}; }
  operator std::string_view() const { return view(); }
  bool empty() const { return size_ == 0; }

 private:
  void swap(FoundText& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(is_own_, other.is_own_);
  }

  const char* data_ = nullptr;
  std::uint32_t size_ = 0;
  bool is_own_ = false;
};

// All links of a list are in memory at once, and one link needs no more than two bytes of HTML: `ping="a a a"`. So a
// link has 80 bytes here. With a std::string for each text it had 200, and 10 MB of such a page took 2.1 GB.
struct FoundLink {
  FoundLink() = default;
  FoundLink(std::size_t at, std::size_t bytes, LinkElement of, FoundText leads_to, FoundText shown = {},
            bool is_unbalanced = false)
      : offset(static_cast<std::uint32_t>(at)),
        length(static_cast<std::uint32_t>(bytes)),
        target(std::move(leads_to)),
        text(std::move(shown)),
        element(of),
        unbalanced_bracket(is_unbalanced) {}

  static constexpr std::uint32_t nowhere = UINT32_MAX;

  std::uint32_t offset = 0;         // offset of the URL as written, in bytes of the list …
  std::uint32_t length = 0;         // … and its length
  std::uint32_t read_at = nowhere;  // where it is used, if `offset` is that of a definition elsewhere
  std::uint32_t entry = 0;          // 1 to FoundLinks::entries; 0: outside of any entry
  FoundText target;                 // with escapes and character references decoded
  FoundText text;
  FoundText rel;                     // of HTML links
  const char* ignored_by = nullptr;  // the directive or attribute that excludes the link; a constant
  LinkElement element = LinkElement::link;
  bool unbalanced_bracket = false;
  LinkContext context;
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

// A file that an AsciiDoc document includes: its path from the folder of the document, and the folder of images there.
struct IncludedFile {
  std::string path;
  std::string images_folder;
};

struct FoundLinks {
  // In any order; of several at one offset the first is used. A vector would hold them twice while it grows.
  std::deque<FoundLink> links;
  std::vector<FoundHeading> headings;  // in any order
  std::vector<FoundDescription> descriptions;
  std::vector<TextRange> comments;          // in any order; only comments with ignore directives
  std::vector<std::string> anchors;         // in any order; values of HTML's `id` and `name`
  std::string base;                         // of HTML's <base>; empty if there is none
  std::vector<DissolvedEntries> dissolved;  // in the order of their numbers
  std::vector<FoundFacts> facts;            // in any order
  std::vector<IncludedFile> includes;       // of AsciiDoc, in the order of the text
  bool has_unknown_anchors = false;         // of AsciiDoc: parts of it cannot be read, or their ids are not known
  std::uint32_t entries = 0;                // number of entries, some of which may have no links
};

}  // namespace linkherd::parser
