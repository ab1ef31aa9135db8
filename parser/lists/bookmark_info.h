// Reads the tags, the folder and the creation time that bookmark managers and reading lists store with an entry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::parser {

struct BookmarkInfo {
  std::vector<std::string> tags;  // at most 50
  std::optional<Timestamp> added;

  bool empty() const { return tags.empty() && !added; }
};

// The meaning of a column, key or attribute by its name, such as "tags", "time_added", "ADD_DATE" or "folder".
enum class BookmarkField { none, tags, folder, added };
BookmarkField find_bookmark_field(std::string_view name);

// Adds the value of a field to `info`. Values of BookmarkField::folder are ignored. Tags are separated by commas,
// semicolons or bars; the first 50 are kept. A time is in RFC 3339 (UTC if it has no offset) or is the number of
// seconds, milliseconds or microseconds since 1970. Other times are ignored.
void add_bookmark_field(BookmarkInfo& info, BookmarkField field, std::string_view value);

}  // namespace linkherd::parser
