// Finds links in the values of data formats (JSON, YAML, CSV, feeds, …), which differ only in syntax.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// What the key of a value says about it, in English and Chinese.
enum class ValueRole {
  any,
  url,    // "repo", "src", "html_url"
  page,   // a URL that is the page of its record: "url", "href", "homepage", "链接"
  title,  // "title", "name", "标题"
};
ValueRole role_of(std::string_view name);

// Adds the links of one value: the whole value if it is a URL, a URL without a scheme if the role is `url` or `page`,
// and otherwise the bare URLs in it.
void add_value_links(const MappedText& value, ValueRole role, FoundLinks& found);

// Adds a DOI ("10.1000/182", "doi:10.1000/182") as a link to doi.org, where the value is one.
void add_doi_link(const MappedText& value, FoundLinks& found);

// Records (JSON objects, items of a feed): sets the text of links without a text to the title of their record, and
// tells the entries. A record with a link of its own is an entry, with the records that are fields of it; the others
// only contain some. A record that is an element of an array is never a field.
class DataRecords {
 public:
  explicit DataRecords(FoundLinks& found) : found_(found), first_(found.links.size()), seen_(first_) {}

  void open() { open(false); }
  void open_element() { open(true); }
  // The innermost open record is an element of an array.
  void note_element();
  // A value of the innermost open record: its title, or its links. If all values of a record that is no element are
  // URLs, and no key says that one is the page, the record is a map whose values are entries.
  // `is_element`: of an array. Such a link is an entry where the record has no link of its own.
  void add_value(std::string_view key, const MappedText& value, bool is_element);
  // A value that is no text.
  void add_other(std::string_view key = {}, std::string_view value = {});
  // What a bookmark says of itself: of the innermost open record. Its links and those of its fields get it.
  void add_fact(std::string_view key, std::string_view value);
  void set_title(std::string_view title);  // of the innermost open record; the first one is used
  void close();                            // links that still have no text are passed to the enclosing record
  bool any_open() const { return !levels_.empty(); }

  // The links that were added since the last call of a member belong to the innermost record …
  void see_new() { see_new(innermost()); }
  // … or to the one around it, because it is a mere field of that.
  void see_new_of_field();
  // The innermost open record is an entry; from now on only such records are.
  void claim();
  void claimed_only() { claimed_only_ = true; }
  // Sets the entries of all links, after the last record.
  void finish();

 private:
  struct Level {
    std::size_t first;  // index in `pending_` of the first link of the record
    std::string title;
    std::uint32_t record;
  };
  struct Record {
    std::uint32_t around = 0;  // the enclosing record; the first is a place holder for none
    bool owns_links = false;
    bool is_claimed = false;
    bool is_element = false;
    bool has_urls = false;   // among its values …
    bool has_other = false;  // … and others
  };
  static bool is_map(const Record& record) { return record.has_urls && !record.has_other && !record.is_element; }
  void open(bool is_element);
  void see_new(std::uint32_t record);
  const BookmarkFacts* facts_of(std::uint32_t record) const;
  std::uint32_t innermost() const { return levels_.empty() ? 0 : levels_.back().record; }

  FoundLinks& found_;
  std::size_t first_;  // index of the first link that is not of before
  std::size_t seen_;
  std::vector<std::size_t> pending_;  // indices of links without a text
  std::vector<Level> levels_;
  std::vector<Record> records_{1};
  std::vector<std::uint32_t> record_of_;                    // of the links from `first_` on
  std::unordered_map<std::uint32_t, BookmarkFacts> facts_;  // by record
  bool claimed_only_ = false;
};

}  // namespace linkherd::parser
