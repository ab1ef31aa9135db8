// Locates link targets in the Markdown text. For plain targets md4c returns pointers into the text. Targets with
// escapes or character references, and e-mail autolinks, are returned as copies; they are located by the text around
// them.
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

  // Records a text reported by md4c. Returns its offset, or nullopt if it does not point into the input.
  std::optional<std::size_t> note_text(std::string_view piece);
  const std::vector<TextRange>& texts() const { return texts_; }

  // Records the start of a link; links nest. `close` returns the position of its target and the kind of the link.
  std::size_t open(LinkElement element, const MD_ATTRIBUTE& target);
  FoundLink close(std::size_t id);

  // Whether there are definitions that links may use. Footnotes are none.
  bool has_definitions() const;
  // Adds the definitions that no link uses, after the whole text was read. Footnotes that look like definitions are
  // read as text.
  void add_definitions(FoundLinks& found);

 private:
  struct Open {
    LinkElement element;
    std::string raw;     // as md4c reports it: escapes decoded, character references not
    std::string target;  // fully decoded
    std::optional<std::size_t> offset;
    std::size_t length = 0;
    std::size_t accounted = 0;  // `last_` at the start of the link
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
  std::size_t last_ = 0;  // end of the last text whose position is known
};

}  // namespace linkherd::parser
