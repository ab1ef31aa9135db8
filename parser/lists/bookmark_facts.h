// What bookmark managers and reading lists say of an entry beside its title: its tags, its folder, and when it was
// added.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::parser {

struct BookmarkFacts {
  std::vector<std::string> tags;  // at most 50
  std::optional<Timestamp> added;

  bool empty() const { return tags.empty() && !added; }
};

// What the name of a column, key or attribute says about its value: "tags", "time_added", "ADD_DATE", "folder".
enum class BookmarkField { none, tags, folder, added };
BookmarkField bookmark_field_of(std::string_view name);

// Adds a value of that field; a folder is no fact. Tags are separated by commas, semicolons or bars. A time is RFC
// 3339, also without its offset (then UTC), or the seconds, milliseconds or microseconds since 1970; any other is left
// out.
void add_fact(BookmarkFacts& facts, BookmarkField field, std::string_view value);

}  // namespace linkherd::parser
