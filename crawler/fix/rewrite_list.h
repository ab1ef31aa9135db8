// Rewrites links of a list. The new text is read again by the reader of its format, and is returned only if every link
// that was to change is what it should be, and every other one is what and where it was.
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

// What a link is to a list, as far as a rewriting must not change it.
struct ReadLink {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::size_t href = 0;  // hashes of these …
  std::size_t text = 0;
  std::size_t around = 0;  // … and of the element, the headings and the directives
};

ReadLink read_link(const parser::LinkOccurrence& occurrence);

struct WantedChange {
  std::size_t link = 0;  // the number of the link in its list
  std::vector<Spelling> spellings;
  std::string href;               // as which one of the spellings is to be read
  bool text_follows_url = false;  // as in an autolink: its text may change with it
};

// A new text of a link.
struct WantedText {
  std::size_t link = 0;
  TextSpan span;
  std::string spelling;
  std::string text;  // as which it is to be read
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
  std::vector<std::size_t> refused_changes;  // numbers of those that no spelling could write, in rising order
  std::vector<std::size_t> refused_texts;
};

// `links`: all of the list, in the order of the text; `changes`: likewise. Reads the list once for each attempt; where
// too many fail, all is refused.
Rewritten rewrite_list(const parser::ListText& list, const parser::ExtractOptions& options,
                       const std::vector<ReadLink>& links, const std::vector<WantedChange>& changes,
                       const std::vector<WantedText>& texts);

std::string with_edits(std::string_view text, const std::vector<TextEdit>& edits);

}  // namespace linkherd::crawler
