// Rewrites links of an input document and verifies the result. The new text is parsed again by the reader of its
// format. It is returned only if every changed link reads as intended and all other links stay the same at the same
// position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fix/spellings.h"
#include "parser/lists/extract_links.h"
#include "parser/lists/link_occurrence.h"

namespace linkherd::crawler {

// The properties of a link that a rewrite must not change.
struct ReadLink {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::size_t href = 0;  // hash of the href
  std::size_t text = 0;
  std::size_t context_hash = 0;  // hash of the element, the headings and the directives
};

ReadLink read_link(const parser::LinkOccurrence& occurrence);

struct WantedChange {
  std::size_t link = 0;  // index of the link in its document
  std::vector<Spelling> spellings;
  std::string href;               // the URL after parsing, the same for all spellings
  bool text_follows_url = false;  // true for an autolink, for example: its text may change with the URL
};

// A new text of a link.
struct WantedText {
  std::size_t link = 0;
  parser::TextRange span;
  std::string spelling;
  std::string text;  // the text after parsing
};

struct TextEdit {
  std::uint64_t offset = 0;  // in the old text
  std::uint64_t length = 0;
  std::string text;

  bool operator==(const TextEdit&) const = default;
};

struct Rewritten {
  std::string text;
  std::vector<TextEdit> edits;               // in the order of the text
  std::vector<std::size_t> refused_changes;  // indices of changes that no spelling could write, in ascending order
  std::vector<std::size_t> refused_texts;
};

// Applies the changes. `links`: all links of the document in text order; `changes` has the same order. The document is
// parsed once per attempt. If too many attempts fail, all changes are refused.
Rewritten rewrite_list(const parser::DocumentText& list, const parser::ExtractOptions& options,
                       const std::vector<ReadLink>& links, const std::vector<WantedChange>& changes,
                       const std::vector<WantedText>& texts);

std::string with_edits(std::string_view text, const std::vector<TextEdit>& edits);

}  // namespace linkherd::crawler
