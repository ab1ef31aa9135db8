#include "parser/html/guarded_text.h"

#include <algorithm>
#include <string>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t min_put_aside = 8;  // bytes; a mark and its place cost as much

constexpr bool is_space_or_control(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Past the white space at `at`; whether any of it is seen. NULs are nothing at all.
bool skip_space(std::string_view text, std::size_t& at) {
  bool seen = false;
  for (; at < text.size() && is_space_or_control(text[at]); ++at) seen = seen || text[at] != '\0';
  return seen;
}

}  // namespace

// `text` begins with a letter.
void GuardedText::append(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  ends_space_ = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !is_space_or_control(text[at])) ++at;
    out += text.substr(begin, at - begin);
    ends_space_ = skip_space(text, at);
    if (ends_space_) out += ' ';
  }
  if (size() <= limits_.max_bytes) return;
  const std::size_t over = std::min(size() - limits_.max_bytes, out.size() - before);
  out.resize(truncate_utf8(out, out.size() - over).size());
  out_.truncated = true;
  full_ = true;
}

// A space in front is written for gumbo as well, which asks at some places whether a text begins with one.
void GuardedText::put_aside(std::string_view text, bool space) {
  std::string& values = out_.values;
  const bool goes_on = !out_.texts.empty() && out_.texts.back().at + text_mark.size() == out_.html.size();
  if (goes_on) values.pop_back();
  if (space) values += ' ';
  if (!goes_on) {
    if (space) out_.html += ' ';
    out_.texts.push_back(
        {.at = static_cast<std::uint32_t>(out_.html.size()), .value = static_cast<std::uint32_t>(values.size())});
    out_.html += text_mark;
  }
  append(values, text);
  values += '\0';
}

std::string_view GuardedText::bounded(std::string_view text) {
  if (text.size() <= limits_.max_text) return text;
  out_.truncated = true;
  return truncate_utf8(text, limits_.max_text);
}

bool GuardedText::write(std::string_view text) {
  text = bounded(text);
  std::size_t at = 0;
  const bool after_space = ends_space_ && end_ == out_.html.size();
  const bool space = skip_space(text, at) && !at_border_ && !after_space;
  text.remove_prefix(at);
  if (text.empty() && !space) return false;
  if (text.size() >= min_put_aside && text.find('&') == std::string_view::npos) {
    put_aside(text, space);
  } else {
    if (space) out_.html += ' ';
    ends_space_ = space;
    if (!text.empty()) append(out_.html, text);
  }
  if (!text.empty()) at_border_ = false;
  end_ = out_.html.size();
  return true;
}

// Without the NULs, which are dropped, another "<" could begin the end tag of the element.
bool GuardedText::write_raw(std::string_view text) {
  text = bounded(text);
  bool seen = false;
  for (std::size_t less = text.find('<'); less != std::string_view::npos && !full_; less = text.find('<')) {
    seen = true;
    write(text.substr(0, less));
    if (!full_) write_less();
    text.remove_prefix(less + 1);
  }
  return (!full_ && write(text)) || seen;
}

void GuardedText::write_less() {
  put_aside("<", false);
  at_border_ = false;
  end_ = out_.html.size();
}

void GuardedText::write_markup(std::string_view text) {
  append(out_.html, text);
  at_border_ = false;
  end_ = out_.html.size();
}

}  // namespace linkherd::parser
