// Which entry of a list a link belongs to, and its role there. Readers report structure and running text to an
// EntryTracker while they read; assign_roles() decides afterwards, by structure alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// What stands around a link in a text that ends at `before` and goes on at `after`.
LinkContext context_between(std::string_view before, std::string_view after);

// The structure of a list as a reader sees it. Entries nest; a link belongs to the innermost.
class EntryTracker {
 public:
  explicit EntryTracker(FoundLinks& found) : found_(found) {}

  // An item of a list, a row of a table, a definition.
  void open();
  // A part without entries, such as navigation.
  void open_prose();
  void close();
  bool any_open() const { return !open_.empty(); }

  // A heading with a link of its own is an entry, to which the text below belongs unless `whole_section` is false.
  void open_heading();
  void close_heading(bool whole_section = true);

  // A paragraph outside of other entries. If each of its lines begins with the link that it is for, the lines are
  // entries. close_paragraph() returns false if they are not.
  void open_paragraph();
  void end_line();
  bool close_paragraph();

  // Running text outside of links.
  void text(std::string_view words);
  // The end of emphasis or code: what is before is a label rather than the beginning of a phrase.
  void end_label() { joined_ = false; }
  // A new cell, paragraph or line: the text before is not continued.
  void separate();

  // The link was added to the links that were found, at this index.
  void add(std::size_t link);
  // The same for images and other resources, which do not interrupt the text around them.
  void add_aside(std::size_t link) { found_.links[link].entry = entry(); }

  // For a link that another reader finds: what it needs where the link begins, and a call where it ends.
  std::uint32_t entry() const { return in_paragraph_ ? line_ : current_; }
  LinkContext context() const;
  void pass_link();

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  void leave_links(std::size_t first, std::uint32_t entry);
  void begin_line();
  void begin_label();
  void read_label(std::string_view words);
  void count_asides(std::string_view words);
  void describe(std::string_view words);
  void begin_description();

  FoundLinks& found_;
  std::vector<std::uint32_t> open_;  // the entries around the current one
  std::uint32_t current_ = 0;
  std::size_t prose_ = 0;    // size of `open_` in the outermost part without entries; 0: in none
  std::size_t last_ = none;  // the last link, until it is known whether the text after it continues its phrase
  bool follows_link_ = false;
  bool words_ = false;
  bool joined_ = false;
  bool comma_ = false;
  std::size_t asides_ = 0;  // open parentheses

  std::uint32_t described_ = 0;    // the entry that the last words belong to …
  std::string words_before_link_;  // … and these, until it has a link to the web
  bool has_description_ = false;   // what follows belongs to the last of FoundLinks::descriptions

  bool in_label_ = false;
  std::size_t label_links_ = 0;  // index of the first link that may be in it

  bool in_heading_ = false;
  std::size_t heading_links_ = 0;  // index of its first link

  bool in_paragraph_ = false;
  bool lines_are_entries_ = false;
  bool line_has_words_ = false;
  std::uint32_t line_ = 0;
  std::uint32_t entries_before_ = 0;
  std::size_t paragraph_links_ = 0;  // index of its first link
  std::size_t line_links_ = 0;
};

// Numbers the entries in the order of the text, and returns the role of each link by its index.
std::vector<LinkRole> assign_roles(FoundLinks& found);

}  // namespace linkherd::parser
