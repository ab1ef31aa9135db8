// The result of the reader of a document format. It contains only positions and texts: lines are not counted and
// targets are not resolved yet. All offsets and lengths are in bytes of the document, which must be smaller than 4 GiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lists/bookmark_info.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::parser {

// Texts are kept so that people recognise a link. The limits bound the memory that a long heading costs for every link
// of a hostile document.
inline constexpr std::size_t max_link_text_bytes = 1000;
inline constexpr std::size_t max_description_bytes = 240;
inline constexpr std::size_t max_heading_bytes = 1000;       // while a document is read
inline constexpr std::size_t max_shown_heading_bytes = 200;  // in each link occurrence
inline constexpr std::size_t max_heading_level = 12;         // deeper headings replace each other

struct TextRange {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// The surroundings of a link in its entry. assign_roles() derives the role of the link from them.
struct LinkContext {
  bool has_words_before : 1 = false;   // words separate the link from the previous link or from the start of its line
  bool is_joined_before : 1 = false;   // the link continues a phrase that begins before it
  bool is_joined_after : 1 = false;    // the words after the link continue its phrase
  bool ends_sentence : 1 = false;      // the end of a sentence directly follows the link
  bool has_comma_before : 1 = false;   // a comma precedes the link, so the words before it are another field
  bool has_comma_after : 1 = false;    // a comma follows the link, so the words after it are another field
  bool is_in_parentheses : 1 = false;  // in parentheses in running text
  bool is_in_label : 1 = false;        // before the first dash, colon, end of a sentence, cell or line of its entry
  bool label_ends : 1 = false;         // the label that contains the link ends in a dash or colon
  bool follows_link : 1 = false;       // no words since the previous link
  bool is_badge : 1 = false;           // the text of the link consists of images
  bool is_named : 1 = false;           // in data formats: the key marks it as the page of its record, as "url" does
  bool is_embedded : 1 = false;        // in a text inside a record, such as the description of a feed item
};

// An immutable text: either an owned copy or a view of a part of the document, which must then outlive it. A copy is
// truncated at 4 GiB.
class FoundText {
 public:
  FoundText() = default;
  FoundText(std::string_view text);
  FoundText(const std::string& text) : FoundText(std::string_view(text)) {}
  // Returns a view of `part`. Copies of this object own their text.
  static FoundText borrowed(std::string_view part);

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
    std::swap(is_owned_, other.is_owned_);
  }

  const char* data_ = nullptr;
  std::uint32_t size_ = 0;
  bool is_owned_ = false;
};

// A link in a document. All links of a document are in memory at once, and a link needs only two bytes of HTML
// (`ping="a a a"`). So this struct is kept to 80 bytes. With a std::string for each text it had 200 bytes, and 10 MB of
// such a page took 2.1 GB.
struct FoundLink {
  FoundLink() = default;
  FoundLink(std::size_t url_offset, std::size_t url_length, LinkElement kind, FoundText url, FoundText link_text = {},
            bool is_unbalanced = false)
      : offset(static_cast<std::uint32_t>(url_offset)),
        length(static_cast<std::uint32_t>(url_length)),
        target(std::move(url)),
        text(std::move(link_text)),
        element(kind),
        unbalanced_bracket(is_unbalanced) {}

  static constexpr std::uint32_t no_offset = UINT32_MAX;

  std::uint32_t offset = 0;               // offset of the URL as written
  std::uint32_t length = 0;               // length of the URL as written
  std::uint32_t link_offset = no_offset;  // offset of the link itself if its URL is in a definition elsewhere
  std::uint32_t entry = 0;                // 1 to FoundLinks::entries, or 0 outside of any entry
  FoundText target;                       // the URL with escapes and character references decoded
  FoundText text;
  FoundText rel;                     // value of HTML's rel attribute
  const char* ignored_by = nullptr;  // the directive or attribute that excludes the link; a string literal or null
  LinkElement element = LinkElement::link;
  bool unbalanced_bracket = false;
  LinkContext context;
};

// A heading. It ends all earlier headings of the same or a deeper level. A heading with an empty text only ends them.
struct FoundHeading {
  std::size_t offset = 0;
  std::string text;
  std::size_t level = 1;
  // In Markdown: the text with its white space and without the texts of images. nullopt if it equals `text`.
  std::optional<std::string> plain{};
};

// The bookmark facts of the link at `offset`.
struct FoundBookmark {
  std::size_t offset = 0;
  BookmarkInfo info;
};

// A range of entry numbers that were assigned but turned out not to be entries. They stand for `entry`, which is the
// enclosing entry, or 0 if there is none.
struct DissolvedEntries {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t entry = 0;
};

// The words of an entry outside of its links. Recorded only for entries with a link to the web.
struct FoundDescription {
  std::uint32_t entry = 0;
  std::string text;
};

// A file that an AsciiDoc document includes. `path` is relative to the folder of the document; `images_folder` is the
// folder of images at the include.
struct IncludedFile {
  std::string path;
  std::string images_folder;
};

struct FoundLinks {
  // In any order. If several links have the same offset, the first one is used. Not a vector, which holds its elements
  // twice while it grows.
  std::deque<FoundLink> links;
  std::vector<FoundHeading> headings;  // in any order
  std::vector<FoundDescription> descriptions;
  std::vector<TextRange> comments;          // in any order; only comments with ignore directives
  std::vector<std::string> anchors;         // in any order; for HTML the values of `id` and `name`
  std::string base;                         // URL of HTML's <base>; empty if there is none
  std::vector<DissolvedEntries> dissolved;  // in the order of their numbers
  std::vector<FoundBookmark> bookmarks;     // in any order
  std::vector<IncludedFile> includes;       // in AsciiDoc: included files, in the order of the text
  bool has_unknown_anchors = false;         // in AsciiDoc: parts cannot be read, or their ids are unknown
  std::uint32_t entries = 0;                // number of entries, some of which may have no links
};

}  // namespace linkherd::parser
