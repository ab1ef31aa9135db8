// Locates the targets of the links that md4c reports. For a plain target, md4c returns a pointer into its input, which
// gives the offset. Targets with escapes or character references, and e-mail autolinks, are returned as copies. A copy
// is located by the text around it: in the first "](" after the link text that the target follows, or else in a
// reference definition.
//
// Example: for "[a](x\_y)" md4c reports the text "a" as a pointer and the target "x_y" as a copy. note_text() records
// that "a" ends at offset 2. close() finds "](" at this offset and sees that "x\_y" at offset 4 is an escaped form of
// the copy. The result is a FoundLink with offset 4, length 4 and target "x_y".
//
// For "[a][r]" with the definition "[r]: https://x.org", the offset is the offset of the target in the definition.
// FoundLink::link_offset is then the end of the text before the link. If a target cannot be located, the offset is the
// end of the last known text, and the length is 0.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <md4c.h>

#include "parser/lists/found_link.h"
#include "parser/lists/markdown/markdown_definitions.h"

namespace linkherd::parser {

// Returns true if one of the sorted `ranges` contains `offset`.
bool contains_offset(const std::vector<TextRange>& ranges, std::size_t offset);

class MarkdownPositions {
 public:
  // `text` is the input of md4c and must outlive this object.
  explicit MarkdownPositions(std::string_view text) : text_(text), definitions_(find_markdown_definitions(text)) {}

  // Records a text that md4c reports. Returns its offset, or nullopt if it does not point into the input.
  std::optional<std::size_t> note_text(std::string_view piece);
  const std::vector<TextRange>& texts() const { return texts_; }

  // open() records the start of a link and returns an id for close(). Links nest. close() returns a link with the
  // position of its target and its kind.
  std::size_t open(LinkElement element, const MD_ATTRIBUTE& target);
  FoundLink close(std::size_t id);

  // Returns true if the text has definitions that links may use. Footnotes do not count. Call it after md4c has read
  // the whole text, as for add_definitions().
  bool has_definitions() const;
  // Adds the definitions that no link uses. Footnotes that look like definitions are read as text.
  void add_definitions(FoundLinks& found);

 private:
  struct Open {
    LinkElement element;
    std::string raw;     // the target as md4c reports it: with decoded escapes and undecoded character references
    std::string target;  // the target, fully decoded
    std::optional<std::size_t> offset;
    std::size_t length = 0;
    std::size_t accounted = 0;  // value of `last_` at the start of the link
  };
  std::optional<std::size_t> offset_of(const char* pointer) const;
  void read_autolink(Open& open, std::size_t offset);
  void find_copy(Open& open);
  bool find_after_text(Open& open) const;
  bool find_definition(Open& open);

  std::string_view text_;
  std::vector<MarkdownDefinition> definitions_;
  std::unordered_map<std::string, std::size_t> definition_by_target_;
  std::vector<TextRange> texts_;
  std::vector<Open> open_;
  std::size_t last_ = 0;  // end of the last text or target whose position is known
};

}  // namespace linkherd::parser
