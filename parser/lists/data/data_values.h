// The links in the values of data formats (JSON, YAML, CSV, feeds, …), which differ only in syntax.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// What the name of a value says about it, in English and Chinese.
enum class ValueRole {
  any,
  url,    // "url", "href", "homepage", "html_url", "链接"
  title,  // "title", "name", "标题"
};
ValueRole role_of(std::string_view name);

// Adds the links of one value: the whole of it where it is nothing but a URL, a host without a scheme where its name
// promises a URL, else the bare URLs in it.
void add_value_links(const MappedText& value, ValueRole role, FoundLinks& found);

// Gives the links of an entry (a JSON object, a feed's item) that have no text the entry's title.
class EntryTitles {
 public:
  explicit EntryTitles(FoundLinks& found) : found_(found), seen_(found.links.size()) {}

  void open();
  void set_title(std::string_view title);  // of the innermost open entry; the first counts
  void close();                            // what has no title yet is left to the entry around it
  bool any_open() const { return !levels_.empty(); }

 private:
  struct Level {
    std::size_t first;  // of its links in `pending_`
    std::string title;
  };
  void see_new();

  FoundLinks& found_;
  std::size_t seen_;
  std::vector<std::size_t> pending_;  // links without a text
  std::vector<Level> levels_;
};

}  // namespace linkherd::parser
