#include "parser/lists/markdown_tables.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

// The marks of quotes and lists that a table may stand in.
std::string_view without_containers(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t>");
  return start == std::string_view::npos ? std::string_view() : line.substr(start);
}

// How many columns the line "|---|:-:|" under a table's head says; 0 where it is no such line.
std::size_t columns_of(std::string_view line) {
  line = trim_ascii(without_containers(line));
  if (line.find('|') == std::string_view::npos || line.find('-') == std::string_view::npos ||
      line.find_first_not_of("|-: \t") != std::string_view::npos)
    return 0;
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  return static_cast<std::size_t>(std::ranges::count(line, '|')) + 1;
}

// The bars of a row that are not escaped: those behind the last column's become dashes.
void limit_row(std::string& text, std::size_t start, std::size_t end, std::size_t columns) {
  const std::string_view row = trim_ascii(without_containers(std::string_view(text).substr(start, end - start)));
  std::size_t allowed = columns - 1 + (row.starts_with('|') ? 1 : 0);
  for (std::size_t at = start; at < end; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '|') {
      const bool closes = at + 1 >= end || trim_ascii(std::string_view(text).substr(at + 1, 2)).empty();
      const bool last = closes && std::string_view(text).substr(at + 1, end - at - 1).find_first_not_of(" \t\r\n") ==
                                      std::string_view::npos;
      if (last) break;
      if (allowed == 0) text[at] = '-';
      if (allowed > 0) --allowed;
    }
  }
}

}  // namespace

void keep_table_cells(std::string& text) {
  if (text.find('|') == std::string::npos) return;
  std::size_t columns = 0;  // of the table around the line; 0 outside of one
  std::size_t before = 0;   // where the line before starts
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = line_break(text, start);
    const std::string_view line = std::string_view(text).substr(start, end - start);
    if (columns == 0 && line.find('|') == std::string_view::npos) {
      // no row of anything
    } else if (trim_ascii(without_containers(line)).empty()) {
      columns = 0;
    } else if (const std::size_t found = columns == 0 ? columns_of(line) : 0; found > 0 && before < start) {
      columns = found;
      limit_row(text, before, line_break(text, before), columns);
    } else if (columns > 0) {
      limit_row(text, start, end, columns);
    }
    before = start;
    start = std::min(end + (std::string_view(text).substr(end, 2) == "\r\n" ? 2U : 1U), text.size());
  }
}

}  // namespace linkherd::parser
