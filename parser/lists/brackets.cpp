#include "parser/lists/brackets.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

struct Pair {
  char32_t open;
  char32_t close;
  char32_t kind;
};

constexpr std::array<Pair, 13> pairs{{{U'(', U')', U')'},
                                      {U'[', U']', U']'},
                                      {U'{', U'}', U'}'},
                                      {U'（', U'）', U')'},
                                      {U'［', U'］', U']'},
                                      {U'｛', U'｝', U'}'},
                                      {U'【', U'】', U'】'},
                                      {U'《', U'》', U'》'},
                                      {U'〈', U'〉', U'〉'},
                                      {U'「', U'」', U'」'},
                                      {U'『', U'』', U'』'},
                                      {U'〔', U'〕', U'〕'},
                                      {U'〖', U'〗', U'〗'}}};

constexpr std::size_t max_look = 400;

// The code point that ends `text`; 0 where there is none.
char32_t last_code_point(std::string_view text) {
  std::size_t start = text.size();
  while (start > 0 && text.size() - start < 4) {
    --start;
    if ((static_cast<unsigned char>(text[start]) & 0xC0U) != 0x80U) break;
  }
  return decode_utf8(text, start).value;
}

// How deep brackets of one kind are open at the end of `text`. A closing one without an opening one counts for nothing.
int open_at_end(std::string_view text, char32_t kind) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (opened_kind(point.value) == kind) ++depth;
    if (closed_kind(point.value) == kind) depth = std::max(0, depth - 1);
  }
  return depth;
}

bool closes_in(std::string_view text, char32_t kind) {
  int depth = 1;
  for (std::size_t at = 0; at < text.size() && depth > 0;) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (opened_kind(point.value) == kind) ++depth;
    if (closed_kind(point.value) == kind) --depth;
  }
  return depth == 0;
}

}  // namespace

char32_t opened_kind(char32_t code_point) {
  const auto* found = std::ranges::find(pairs, code_point, &Pair::open);
  return found == pairs.end() ? U'\0' : found->kind;
}

char32_t closed_kind(char32_t code_point) {
  const auto* found = std::ranges::find(pairs, code_point, &Pair::close);
  return found == pairs.end() ? U'\0' : found->kind;
}

bool brackets_balanced(std::string_view text) {
  std::u32string open;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (const char32_t kind = opened_kind(point.value); kind != 0) open.push_back(kind);
    if (const char32_t kind = closed_kind(point.value); kind != 0) {
      if (open.empty() || open.back() != kind) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

bool brackets_match_around(std::string_view before, std::string_view after) {
  if (before.size() > max_look) before.remove_prefix(before.size() - max_look);
  if (const std::size_t line = before.find_last_of("\r\n"); line != std::string_view::npos)
    before.remove_prefix(line + 1);
  after = after.substr(0, std::min({max_look, after.size(), after.find_first_of("\r\n")}));
  const char32_t closed = closed_kind(decode_utf8(after, 0).value);
  if (closed != 0 && open_at_end(before, closed) == 0) return false;
  const char32_t opened = opened_kind(last_code_point(before));
  return opened == 0 || closes_in(after, opened);
}

}  // namespace linkherd::parser
