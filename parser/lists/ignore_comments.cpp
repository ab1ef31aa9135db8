#include "parser/lists/ignore_comments.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

enum class Reach : std::uint8_t { start, end, line, next_line };

struct Directive {
  const char* word;
  Reach reach;
  bool only_fragments = false;     // the directive applies only to "#x" links
  const char* unclosed = nullptr;  // name to report for a start directive without an end; null to use `word`
};

// A directive that is a prefix of another directive must come after it.
constexpr std::array<Directive, 10> directives{
    {{"linkherd-ignore-next-line", Reach::next_line},
     {"linkherd-ignore-line", Reach::line},
     {"linkherd-ignore-start", Reach::start, false, "linkherd-ignore-start, without linkherd-ignore-end"},
     {"linkherd-ignore-end", Reach::end},
     {"markdown-link-check-disable-next-line", Reach::next_line},
     {"markdown-link-check-disable-line", Reach::line},
     {"markdown-link-check-disable", Reach::start, false,
      "markdown-link-check-disable, without markdown-link-check-enable"},
     {"markdown-link-check-enable", Reach::end},
     {"ALL-CONTRIBUTORS-LIST:START", Reach::start, true},
     {"ALL-CONTRIBUTORS-LIST:END", Reach::end, true}}};

constexpr std::size_t max_comment_bytes = 500;

constexpr bool is_word_character(char c) { return is_ascii_alphanumeric(c) || c == '-' || c == '_'; }

// Returns the first directive in a comment that is a whole word.
const Directive* directive_in(std::string_view comment) {
  comment = comment.substr(0, max_comment_bytes);
  for (const Directive& directive : directives) {
    const std::size_t at = comment.find(directive.word);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + std::string_view(directive.word).size();
    const bool alone = (at == 0 || !is_word_character(comment[at - 1]) || comment.substr(0, at).ends_with("<!--")) &&
                       (end == comment.size() || !is_word_character(comment[end]) || comment.substr(end, 3) == "-->");
    if (alone) return &directive;
  }
  return nullptr;
}

struct IgnoredRange {
  std::size_t begin;
  std::size_t end;
  const char* by;
};

std::size_t line_start(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_of("\r\n", at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::vector<IgnoredRange> ignored_ranges(std::string_view document, const std::vector<TextRange>& comments,
                                         bool only_fragments) {
  std::vector<IgnoredRange> ranges;
  const Directive* open = nullptr;
  std::size_t opened_at = 0;
  std::size_t line_end = 0;  // end of the line of the last lookup, so that comments on one line need one lookup
  std::size_t line_begin = 0;
  std::size_t next_end = 0;  // end of the next line
  for (const TextRange& comment : comments) {
    const Directive* directive = directive_in(document.substr(comment.offset, comment.length));
    if (directive == nullptr || directive->only_fragments != only_fragments) continue;
    const std::size_t last = comment.offset + std::max<std::size_t>(comment.length, 1) - 1;
    if (last >= line_end) {
      line_begin = line_start(document, comment.offset);
      line_end = after_line_break(document, find_line_break(document, last));
      next_end = after_line_break(document, find_line_break(document, line_end));
    }
    switch (directive->reach) {
      case Reach::line: ranges.push_back({line_begin, line_end, directive->word}); break;
      case Reach::next_line: ranges.push_back({line_end, next_end, directive->word}); break;
      case Reach::start:
        if (open == nullptr) opened_at = comment.offset;
        if (open == nullptr) open = directive;
        break;
      case Reach::end:
        if (open != nullptr) ranges.push_back({opened_at, comment.offset, open->word});
        open = nullptr;
        break;
    }
  }
  if (open != nullptr)
    ranges.push_back({opened_at, document.size(), open->unclosed == nullptr ? open->word : open->unclosed});
  return ranges;
}

void mark_links(std::string_view document, bool only_fragments, FoundLinks& found) {
  std::vector<IgnoredRange> ranges = ignored_ranges(document, found.comments, only_fragments);
  std::ranges::stable_sort(ranges, {}, &IgnoredRange::begin);
  auto next = ranges.begin();
  const IgnoredRange* reaching = nullptr;  // the range with the furthest end among the ranges that have begun
  for (FoundLink& link : found.links) {
    for (; next != ranges.end() && next->begin <= link.offset; ++next) {
      if (reaching == nullptr || next->end > reaching->end) reaching = &*next;
    }
    const bool is_reached = !only_fragments || link.target.view().starts_with('#');
    if (is_reached && link.ignored_by == nullptr && reaching != nullptr && link.offset < reaching->end)
      link.ignored_by = reaching->by;
  }
}

}  // namespace

void add_ignore_comment(std::string_view document, TextRange range, FoundLinks& found) {
  if (directive_in(document.substr(range.offset, range.length)) != nullptr) found.comments.push_back(range);
}

void mark_ignored_links(std::string_view document, FoundLinks& found) {
  if (found.comments.empty()) return;
  std::ranges::sort(found.comments, {}, &TextRange::offset);
  for (const bool only_fragments : {false, true}) mark_links(document, only_fragments, found);
}

}  // namespace linkherd::parser
