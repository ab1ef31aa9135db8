#include "parser/lists/text_directive.h"

#include <algorithm>
#include <vector>

#include <unicode/uchar.h>

#include "parser/lists/heading_slugs.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view delimiter = ":~:";
constexpr std::size_t max_texts = 16;

// The text named by a directive. `start` includes the prefix and `end` includes the suffix, because these are adjacent
// once white space is removed.
struct SoughtText {
  std::string start;
  std::string end;  // empty if `start` is the whole text
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string folded_part(std::string_view part) { return fold_text(to_valid_utf8(percent_decode(part))); }

// The result has an empty start if the directive is malformed.
SoughtText sought_text(std::string_view value) {
  std::vector<std::string_view> parts = split(value, ',');
  std::string prefix, suffix;
  if (parts.size() > 1 && parts.front().ends_with('-')) {
    prefix = folded_part(parts.front().substr(0, parts.front().size() - 1));
    parts.erase(parts.begin());
  }
  if (parts.size() > 1 && parts.back().starts_with('-')) {
    suffix = folded_part(parts.back().substr(1));
    parts.pop_back();
  }
  if (parts.size() > 2) return {};
  const std::string start = folded_part(parts.front());
  const std::string end = parts.size() == 2 ? folded_part(parts.back()) : std::string();
  if (start.empty()) return {};
  if (end.empty()) return {prefix + start + suffix, {}};
  return {prefix + start, end + suffix};
}

// Only the first position of the start matters: if the end does not follow it, it does not follow a later one either.
bool is_in(const SoughtText& sought, std::string_view page) {
  const std::size_t at = page.find(sought.start);
  if (at == std::string_view::npos) return false;
  return sought.end.empty() || page.find(sought.end, at + sought.start.size()) != std::string_view::npos;
}

}  // namespace

std::string fold_text(std::string_view text) {
  constexpr char32_t soft_hyphen = 0xAD;
  std::string kept;
  kept.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    const auto c = static_cast<UChar32>(next.value);
    const bool is_shown = u_isUWhiteSpace(c) == 0 && next.value != soft_hyphen && u_charType(c) != U_FORMAT_CHAR;
    if (is_shown) append_utf8(kept, next.value);
    at += next.length;
  }
  return to_lower_case(kept);
}

std::string_view find_text_directive(std::string_view fragment) {
  const std::size_t at = fragment.find(delimiter);
  return at == std::string_view::npos ? std::string_view() : fragment.substr(at + delimiter.size());
}

bool contains_directive_text(std::string_view directive, std::string_view folded_page) {
  constexpr std::string_view name = "text=";
  std::size_t texts = 0;
  for (const std::string_view part : split(directive, '&')) {
    if (!part.starts_with(name)) continue;
    const SoughtText sought = sought_text(part.substr(name.size()));
    if (sought.start.empty()) continue;
    if (++texts > max_texts || is_in(sought, folded_page)) return true;
  }
  return texts == 0;
}

}  // namespace linkherd::parser
