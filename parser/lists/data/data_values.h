// Finds links in the values of data formats (JSON, YAML, CSV, feeds, …), which differ only in syntax.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"

namespace linkherd::parser {

// What the key of a value says about it, in English and Chinese.
enum class ValueRole {
  any,
  url,    // "url", "href", "homepage", "html_url", "链接"
  title,  // "title", "name", "标题"
};
ValueRole role_of(std::string_view name);

// Adds the links of one value: the whole value if it is a URL, a URL without a scheme if the role is `url`, and
// otherwise the bare URLs in it.
void add_value_links(const MappedText& value, ValueRole role, FoundLinks& found);

// Sets the text of links without a text to the title of their entry (a JSON object, an item of a feed).
class EntryTitles {
 public:
  explicit EntryTitles(FoundLinks& found) : found_(found), seen_(found.links.size()) {}

  void open();
  void set_title(std::string_view title);  // of the innermost open entry; the first one is used
  void close();                            // links that still have no text are passed to the enclosing entry
  bool any_open() const { return !levels_.empty(); }

 private:
  struct Level {
    std::size_t first;  // index in `pending_` of the first link of the entry
    std::string title;
  };
  void see_new();

  FoundLinks& found_;
  std::size_t seen_;
  std::vector<std::size_t> pending_;  // indices of links without a text
  std::vector<Level> levels_;
};

}  // namespace linkherd::parser
