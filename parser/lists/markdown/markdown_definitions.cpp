#include "parser/lists/markdown/markdown_definitions.h"

#include <algorithm>
#include <optional>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_label_bytes = 3996;  // CommonMark allows 999 characters, of at most four bytes each

// Characters that may precede a definition on its line: markers of block quotes and list items.
constexpr bool is_container_mark(char c) {
  return is_ascii_digit(c) || std::string_view(" \t>-*+.)").find(c) != std::string_view::npos;
}

bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && slashes < 64 && text[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

// Returns the offset of the "[" of the label that ends at `close`, or nullopt if it is not at the start of a line.
std::optional<std::size_t> label_start(std::string_view text, std::size_t close) {
  const std::size_t limit = close > max_label_bytes ? close - max_label_bytes : 0;
  std::size_t at = close;
  while (at > limit) {
    --at;
    if ((text[at] == ']' || text[at] == '[') && !is_escaped(text, at)) break;
  }
  if (at >= close || text[at] != '[' || at + 1 == close) return std::nullopt;
  for (std::size_t before = at; before > 0 && text[before - 1] != '\n' && text[before - 1] != '\r'; --before) {
    if (!is_container_mark(text[before - 1])) return std::nullopt;
  }
  return at;
}

}  // namespace

std::size_t skip_to_markdown_target(std::string_view text, std::size_t at) {
  const auto skip = [&](std::string_view characters) {
    at = std::min(text.find_first_not_of(characters, at), text.size());
  };
  skip(" \t");
  if (at < text.size() && (text[at] == '\n' || text[at] == '\r')) {
    at = after_line_break(text, at);
    skip(" \t>");
  }
  return at;
}

std::vector<MarkdownDefinition> find_markdown_definitions(std::string_view text) {
  std::vector<MarkdownDefinition> definitions;
  for (std::size_t close = text.find("]:"); close != std::string_view::npos; close = text.find("]:", close + 2)) {
    const std::optional<std::size_t> start = label_start(text, close);
    if (!start) continue;
    std::size_t target = skip_to_markdown_target(text, close + 2);
    const bool angle = target < text.size() && text[target] == '<';
    if (angle) ++target;
    const std::size_t end = std::min(text.find_first_of(angle ? ">\r\n" : " \t\r\n", target), text.size());
    if (end == target) continue;
    definitions.push_back({close + 1, target, end - target, text.substr(*start + 1, close - *start - 1)});
  }
  return definitions;
}

std::size_t match_escaped(std::string_view source, std::string_view target) {
  std::size_t at = 0;
  for (const char c : target) {
    if (at + 1 < source.size() && source[at] == '\\' && source[at + 1] == c && is_ascii_punctuation(c)) ++at;
    if (at >= source.size() || source[at] != c) return 0;
    ++at;
  }
  return at;
}

}  // namespace linkherd::parser
