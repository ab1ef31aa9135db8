// Where in a Markdown text its link targets are written. md4c points into the text for plain targets; targets with
// escapes or character references, and e-mail autolinks, come as copies and are found again from what stands around
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

// Whether one of `ranges`, which are in the order of the text, holds `offset`.
bool contains_offset(const std::vector<TextRange>& ranges, std::size_t offset);

class MarkdownPlaces {
 public:
  // `text` is what md4c reads, and outlives this.
  explicit MarkdownPlaces(std::string_view text) : text_(text), definitions_(find_markdown_definitions(text)) {}

  // A text that md4c hands out: where it is; nothing where it is none of the text's own bytes.
  std::optional<std::size_t> note_text(std::string_view piece);
  const std::vector<TextRange>& texts() const { return texts_; }

  // A link opens; links nest. `close` says where its target is, and what kind of link it turned out to be.
  std::size_t open(LinkElement element, const MD_ATTRIBUTE& target);
  FoundLink close(std::size_t id);

  // The definitions that no link uses, once all is read; footnotes that look like definitions become texts again.
  void add_definitions(FoundLinks& found);

 private:
  struct Open {
    LinkElement element;
    std::string raw;     // as md4c gives it: escapes undone, character references as written
    std::string target;  // those decoded, too
    std::optional<std::size_t> offset;
    std::size_t length = 0;
    std::size_t accounted = 0;  // `last_` when it opened
  };
  std::optional<std::size_t> offset_of(const char* pointer) const;
  void see_autolink(Open& open, std::size_t offset);
  void find_copy(Open& open);
  bool find_behind_text(Open& open) const;
  bool find_definition(Open& open);

  std::string_view text_;
  std::vector<MarkdownDefinition> definitions_;
  std::unordered_map<std::string, std::size_t> definition_by_target_;
  std::vector<TextRange> texts_;
  std::vector<Open> open_;
  std::size_t last_ = 0;  // up to where the text is accounted for
};

}  // namespace linkherd::parser
