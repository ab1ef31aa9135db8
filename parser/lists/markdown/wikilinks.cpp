#include "parser/lists/markdown/wikilinks.h"

#include <algorithm>
#include <cstddef>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_wikilink_bytes = 1000;

bool is_escaped_at(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && slashes < 64 && text[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

TextRange trimmed_range(std::string_view text, std::size_t from, std::size_t to) {
  while (from < to && is_ascii_space(text[from])) ++from;
  while (from < to && is_ascii_space(text[to - 1])) --to;
  return {from, to - from};
}

bool is_image_size(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_ascii_digit(c) || c == 'x'; });
}

}  // namespace

std::vector<Wikilink> find_wikilinks(std::string_view text) {
  std::vector<Wikilink> found;
  for (std::size_t open = text.find("[["); open != std::string_view::npos;) {
    const std::size_t start = open + 2;
    const std::size_t length = text.substr(start, max_wikilink_bytes).find_first_of("[]\r\n");
    const std::size_t close = start + length;
    const bool is_closed = length != std::string_view::npos && text.substr(close, 2) == "]]";
    const bool is_link_text = is_closed && text.substr(close + 2, 1) == "(";  // as in "[[1]](https://…)"
    if (!is_closed || is_link_text || is_escaped_at(text, open)) {
      open = text.find("[[", open + 1);
      continue;
    }
    const bool is_embed = open > 0 && text[open - 1] == '!' && !is_escaped_at(text, open - 1);
    const std::size_t bar = start + std::min(text.substr(start, length).find('|'), length);
    const std::size_t end = bar < close && bar > start && text[bar - 1] == '\\' ? bar - 1 : bar;
    const std::size_t begin = is_embed ? open - 1 : open;
    Wikilink link{{begin, close + 2 - begin}, trimmed_range(text, start, end), {}};
    link.text = bar < close ? trimmed_range(text, bar + 1, close) : link.target;
    if (is_embed && bar < close && is_image_size(text.substr(link.text.offset, link.text.length))) link.text = {};
    if (link.target.length > 0) found.push_back(link);
    open = text.find("[[", close + 2);
  }
  return found;
}

std::vector<std::string> find_block_ids(std::string_view text) {
  constexpr std::size_t max_id_bytes = 100;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_line_break(text, at);
    const std::string_view line = trim_ascii(text.substr(at, end - at));
    at = after_line_break(text, end);
    const std::string_view last = line.substr(line.size() - std::min(line.size(), max_id_bytes));
    const std::size_t caret = last.rfind('^');
    if (caret == std::string_view::npos || caret + 1 == last.size()) continue;
    const bool begins_word = caret > 0 ? is_ascii_space(last[caret - 1]) : last.size() == line.size();
    const bool is_id =
        std::ranges::all_of(last.substr(caret + 1), [](char c) { return is_ascii_alphanumeric(c) || c == '-'; });
    if (begins_word && is_id) found.emplace_back(last.substr(caret));
  }
  return found;
}

void hide_wikilinks(std::string& markdown, const std::vector<Wikilink>& wikilinks) {
  constexpr std::size_t max_reference = 40;  // in bytes; md4c accepts up to 50
  constexpr std::size_t min_reference = 5;
  for (const Wikilink& link : wikilinks) {
    std::size_t at = link.whole.offset;
    const std::size_t end = at + link.whole.length;
    while (at < end) {
      const std::size_t rest = end - at;
      const std::size_t length = rest < max_reference + min_reference ? rest : max_reference;
      markdown[at] = '&';
      std::fill_n(markdown.begin() + static_cast<std::ptrdiff_t>(at) + 1, length - 2, 'x');
      markdown[at + length - 1] = ';';
      at += length;
    }
  }
}

}  // namespace linkherd::parser
