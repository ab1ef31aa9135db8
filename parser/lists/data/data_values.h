// Finds links in the values of data formats (JSON, YAML, CSV, feeds, …), which differ only in syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// The role of a value, derived from its key. English and Chinese keys are recognised.
enum class ValueRole {
  any,
  url,    // "repo", "src", "html_url"
  page,   // a URL of the page that the record is about: "url", "href", "homepage", "链接"
  title,  // "title", "name", "标题"
};
ValueRole find_value_role(std::string_view name);

// Adds the links of one value. If the whole value is a URL, it is the only link; the URL needs no scheme if the role is
// `url` or `page`. Otherwise the bare URLs in the value are added.
void add_value_links(const MappedText& value, ValueRole role, FoundLinks& found);

// Adds a link to doi.org if the value is a DOI ("10.1000/182", "doi:10.1000/182").
void add_doi_link(const MappedText& value, FoundLinks& found);

// Assigns links to records, such as JSON objects and feed items. It sets the text of links without a text to the title
// of their record, and it determines the entries. A record with a link of its own is an entry, which includes the
// records that are its fields. Other records only contain entries. A record that is an element of an array is never a
// field.
class DataRecords {
 public:
  explicit DataRecords(FoundLinks& found);
  ~DataRecords();
  DataRecords(const DataRecords&) = delete;
  DataRecords& operator=(const DataRecords&) = delete;

  void open() { open(false); }
  void open_element() { open(true); }
  // Marks the innermost open record as an element of an array.
  void mark_as_element();
  // Adds a value of the innermost open record, which is its title or may contain links. A record that is not an element
  // of an array may be a map, whose values are entries: all values are URLs, and no key marks one as the page.
  // `is_element` is true if the value is an element of an array. Its link is an entry if the record has no link of its
  // own.
  void add_value(std::string_view key, const MappedText& value, bool is_element);
  // Adds a value that is not a text.
  void add_non_text(std::string_view key = {}, std::string_view value = {});
  // Adds a bookmark fact to the innermost open record. It applies to the links of the record and of its fields.
  void add_bookmark_field(std::string_view key, std::string_view value);
  // Sets the title of the innermost open record unless it has one.
  void set_title(std::string_view title);
  // Closes the innermost open record and assigns its title to its links without a text. If it has no title, these links
  // get the title of the enclosing record, unless the closed record is an element of an array.
  void close();
  bool any_open() const;

  // Assigns the links that were added since the last call of a member function to the innermost open record.
  void assign_new_links();
  // Assigns them to the record around the innermost one, which is then only a field of that record.
  void assign_new_links_to_parent();
  // mark_as_entry() marks the innermost open record as an entry. After restrict_to_marked(), only marked records are
  // entries.
  void mark_as_entry();
  void restrict_to_marked() { only_marked_ = true; }
  // Sets the entries of all links, after the last record.
  void finish();

 private:
  struct Level;   // an open record
  struct Record;  // what is known about a record
  void open(bool is_element);
  void assign_new_links(std::uint32_t record);
  const BookmarkInfo* bookmark_info_of(std::uint32_t record) const;
  std::uint32_t innermost() const;

  FoundLinks& found_;
  std::size_t first_;  // index of the first link that was added after construction
  std::size_t assigned_;
  std::vector<std::size_t> pending_;  // indexes of links without a text
  std::vector<Level> levels_;
  std::vector<Record> records_;
  std::vector<std::uint32_t> record_by_link_;                       // the records of the links from `first_` on
  std::unordered_map<std::uint32_t, BookmarkInfo> info_by_record_;  // facts by record
  bool only_marked_ = false;
};

}  // namespace linkherd::parser
