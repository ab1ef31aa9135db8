#include "parser/lists/mail_addresses.h"

#include <cstddef>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_local_part_bytes = 64;
constexpr std::size_t max_host_bytes = 253;

constexpr bool is_alphanumeric(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }
constexpr bool is_local_part(char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+'; }
constexpr bool is_host(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }

}  // namespace

std::vector<TextRange> mail_addresses(std::string_view text) {
  std::vector<TextRange> found;
  std::size_t done = 0;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t start = at;
    while (start > done && at - start <= max_local_part_bytes && is_local_part(text[start - 1])) --start;
    if (start == at || at - start > max_local_part_bytes) continue;
    std::size_t end = at + 1;
    bool has_dot = false;
    while (end < text.size() && end - at <= max_host_bytes) {
      const bool dot = text[end] == '.' && end + 1 < text.size() && is_alphanumeric(text[end + 1]) && end > at + 1;
      if (!dot && !is_host(text[end])) break;
      has_dot = has_dot || dot;
      ++end;
    }
    const char last = text[end - 1];
    const bool goes_on = end < text.size() && text[end] == '@';
    done = at + 1;
    if (!has_dot || last == '-' || last == '_' || goes_on) continue;
    found.push_back({start, end - start});
    done = end;
  }
  return found;
}

}  // namespace linkherd::parser
