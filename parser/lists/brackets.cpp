#include "parser/lists/brackets.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/lists/line_index.h"
#include "parser/url/percent_encoding.h"
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

constexpr std::size_t max_look = 300;

// A fast check before the table lookup, because most characters are not brackets.
constexpr bool may_be_bracket(char32_t c) {
  return c == U'(' || c == U')' || c == U'[' || c == U']' || c == U'{' || c == U'}' || (c >= 0x3008 && c <= 0x3017) ||
         (c >= 0xFF08 && c <= 0xFF5D);
}

// ASCII characters that are not brackets, which can be skipped without decoding.
constexpr ByteSet other_ascii = ByteSet().with("()[]{}").with_range(0x80, 0xFF).complement();

// Calls `visit` with each character that may be a bracket, until `visit` returns false.
template <class Visit>
void for_each_candidate(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (other_ascii.contains(text[at])) {
      ++at;
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    if (!visit(point.value)) return;
  }
}

// Returns the same for a closing bracket as closing_bracket_of() returns for the matching opening bracket.
char32_t closed_kind(char32_t code_point) {
  if (!may_be_bracket(code_point)) return U'\0';
  const auto* found = std::ranges::find(pairs, code_point, &Pair::close);
  return found == pairs.end() ? U'\0' : found->kind;
}

// Returns the nesting depth of brackets of one kind at the end of `text`. An unmatched closing bracket is ignored.
int open_at_end(std::string_view text, char32_t kind) {
  int depth = 0;
  for_each_candidate(text, [&](char32_t c) {
    if (closing_bracket_of(c) == kind) ++depth;
    if (closed_kind(c) == kind) depth = std::max(0, depth - 1);
    return true;
  });
  return depth;
}

bool closes_in(std::string_view text, char32_t kind) {
  int depth = 1;
  for_each_candidate(text, [&](char32_t c) {
    if (closing_bracket_of(c) == kind) ++depth;
    if (closed_kind(c) == kind) --depth;
    return depth > 0;
  });
  return depth == 0;
}

}  // namespace

char32_t closing_bracket_of(char32_t code_point) {
  if (!may_be_bracket(code_point)) return U'\0';
  const auto* found = std::ranges::find(pairs, code_point, &Pair::open);
  return found == pairs.end() ? U'\0' : found->kind;
}

bool has_balanced_brackets(std::string_view text) {
  std::u32string open;
  bool balanced = true;
  for_each_candidate(text, [&](char32_t c) {
    if (const char32_t kind = closing_bracket_of(c); kind != 0) open.push_back(kind);
    if (const char32_t kind = closed_kind(c); kind != 0) {
      balanced = !open.empty() && open.back() == kind;
      if (balanced) open.pop_back();
    }
    return balanced;
  });
  return balanced && open.empty();
}

bool has_matching_brackets(std::string_view before, std::string_view after) {
  if (before.size() > max_look) before.remove_prefix(before.size() - max_look);
  for (std::size_t at = before.size(); at > 0; --at) {
    if (before[at - 1] != '\n' && before[at - 1] != '\r') continue;
    before.remove_prefix(at);
    break;
  }
  after = after.substr(0, max_look);
  after = after.substr(0, find_line_break(after, 0));
  const char32_t closed = closed_kind(decode_utf8(after, 0).value);
  if (closed != 0 && open_at_end(before, closed) == 0) return false;
  const char32_t opened = closing_bracket_of(decode_utf8(before, last_code_point_start(before)).value);
  return opened == 0 || closes_in(after, opened);
}

}  // namespace linkherd::parser
