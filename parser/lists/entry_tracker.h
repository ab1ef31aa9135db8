// Determines which entry a link belongs to and which role it has there. Readers report structure and running text to an
// EntryTracker while they read. assign_roles() then decides from the structure alone.
//
// Example: for the list item "- [Foo](a) [site](b) - A tool like [Bar](c)" a reader makes these calls, among others:
// open(), add_link(Foo), add_text(" "), add_link(site), add_text(" - A tool like "), add_link(Bar), close(). The
// tracker gives all three links the same entry and fills in the LinkContext of each. assign_roles() then assigns these
// roles:
// - Foo is LinkRole::main, because it is the first link of the label, which is the part before " - ".
// - The link to b is LinkRole::secondary, because it directly follows another link.
// - Bar is LinkRole::mention, because it continues the phrase "A tool like".
//
// A link outside of any entry is LinkRole::prose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Returns the context of a link in running text. `before` is the text before the link, and `after` is the text after
// it.
LinkContext context_between(std::string_view before, std::string_view after);

// Tracks the structure of a document for its reader. Entries nest, and a link belongs to the innermost open entry.
class EntryTracker {
 public:
  explicit EntryTracker(FoundLinks& found) : found_(found) {}

  // Begins an entry: a list item, a table row or a definition.
  void open();
  // Begins a part without entries, such as navigation.
  void open_prose();
  // Ends the innermost entry or part.
  void close();
  bool any_open() const { return !open_.empty(); }

  // Begin and end a heading. A heading with a link of its own is an entry. The text below the heading belongs to this
  // entry unless `whole_section` is false.
  void open_heading();
  void close_heading(bool whole_section = true);

  // Begin and end a paragraph, and end each of its lines. Outside of other entries, the lines of a paragraph are
  // entries if every line begins with the link that it is about. close_paragraph() returns false if the lines are not
  // entries.
  void open_paragraph();
  void end_line();
  bool close_paragraph();

  // Reports running text outside of links.
  void add_text(std::string_view words);
  // Reports the end of emphasis or code. The text before it is a label and does not begin a phrase.
  void end_label() { is_joined_ = false; }
  // Reports a new cell, paragraph or line. Phrases do not continue across it.
  void end_phrase();

  // Reports that a link was added to FoundLinks::links at index `link`.
  void add_link(std::size_t link);
  // Does the same for images and other resources, which do not interrupt the text around them.
  void add_resource(std::size_t link) { found_.links[link].entry = current_entry(); }

  // Support for a link that a nested reader finds. That reader needs current_entry() and link_context() at the start
  // of the link. end_nested_link() must be called at its end.
  std::uint32_t current_entry() const { return paragraph_ ? paragraph_->line : current_; }
  LinkContext link_context() const;
  void end_nested_link();

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  // A paragraph whose lines may be entries.
  struct Paragraph {
    std::uint32_t entries_before = 0;
    std::size_t links = 0;  // index of its first link
    bool lines_are_entries = true;
    // the current line
    std::uint32_t line = 0;      // its entry
    std::size_t line_links = 0;  // index of its first link
    bool line_has_words = false;
  };
  void reassign_links(std::size_t first, std::uint32_t entry);
  void begin_line(Paragraph& paragraph);
  void begin_label();
  void read_label(std::string_view words);
  void count_parentheses(std::string_view words);
  void describe(std::string_view words);
  void begin_description();

  FoundLinks& found_;
  std::vector<std::uint32_t> open_;  // the entries around the current one
  std::uint32_t current_ = 0;
  std::size_t prose_ = 0;    // size of `open_` in the outermost part without entries; 0 outside of such parts
  std::size_t last_ = none;  // the last link, until the text after it shows whether it continues the phrase
  bool follows_link_ = false;
  bool has_words_ = false;
  bool is_joined_ = false;
  bool has_comma_ = false;
  std::size_t open_parentheses_ = 0;  // open parentheses

  std::uint32_t described_entry_ = 0;  // the entry that the last words belong to
  std::string words_before_link_;      // the words of this entry before its first link to the web
  bool has_description_ = false;       // further words belong to the last element of FoundLinks::descriptions

  // Indexes of the first link that may be in the label and of the first link of the heading. Nullopt outside of them.
  std::optional<std::size_t> label_links_;
  std::optional<std::size_t> heading_links_;
  std::optional<Paragraph> paragraph_;
};

// Numbers the entries from 1 in the order of the text. Returns the role of each link, indexed like FoundLinks::links.
std::vector<LinkRole> assign_roles(FoundLinks& found);

}  // namespace linkherd::parser
