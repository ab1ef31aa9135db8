#include "parser/lists/markup/included_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/markup/prose_lines.h"

namespace linkherd::parser {

std::string tagged_part(std::string_view text, std::string_view tags) {
  if (tags.empty() || tags.find_first_of("*!") != std::string_view::npos) return std::string(text);
  std::string wanted = ';' + std::string(tags) + ';';
  std::ranges::replace(wanted, ',', ';');
  std::string part;
  std::size_t open = 0;
  for (std::size_t at = 0; at < text.size();) {
    const ProseLine line = prose_line(text, at);
    const std::string_view words = line.in(text);
    const std::size_t mark = words.find("::");
    const bool is_end = mark != std::string_view::npos && words.substr(0, mark).ends_with("end");
    const bool is_tag = is_end || (mark != std::string_view::npos && words.substr(0, mark).ends_with("tag"));
    const std::size_t bracket = is_tag ? words.find("[]", mark) : std::string_view::npos;
    if (bracket != std::string_view::npos) {
      const std::string name = ';' + std::string(words.substr(mark + 2, bracket - mark - 2)) + ';';
      if (wanted.find(name) != std::string::npos) open = is_end ? open - std::min<std::size_t>(open, 1) : open + 1;
    } else if (open > 0) {
      part.append(text.substr(at, line.next - at));
    }
    at = line.next;
  }
  return part;
}

std::string part_of_lines(std::string_view text, std::string_view lines) {
  constexpr std::size_t max_ranges = 64;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t at = 0; at < lines.size() && ranges.size() < max_ranges;) {
    const std::size_t end = std::min(lines.find_first_of(",;", at), lines.size());
    const std::string_view range = trim_ascii(lines.substr(at, end - at));
    const std::size_t dots = range.find("..");
    const auto number = [](std::string_view digits) {
      std::size_t value = 0;
      for (const char c : digits.substr(0, 9)) {
        if (!is_ascii_digit(c)) return SIZE_MAX;
        value = value * 10 + static_cast<std::size_t>(c - '0');
      }
      return digits.empty() ? SIZE_MAX : value;
    };
    const std::size_t first = number(range.substr(0, dots));
    ranges.emplace_back(first, dots == std::string_view::npos ? first : number(range.substr(dots + 2)));
    at = end + 1;
  }
  std::string part;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const ProseLine line = prose_line(text, at);
    ++line_number;
    const bool is_wanted = std::ranges::any_of(
        ranges, [line_number](const auto& range) { return line_number >= range.first && line_number <= range.second; });
    if (is_wanted) part.append(text.substr(at, line.next - at));
    at = line.next;
  }
  return part;
}

}  // namespace linkherd::parser
