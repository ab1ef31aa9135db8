#include "parser/lists/markdown_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "parser/lists/bare_url_scanner.h"
#include "parser/lists/character_references.h"
#include "parser/lists/line_index.h"
#include "parser/lists/list_text.h"
#include "parser/lists/mail_addresses.h"
#include "parser/lists/markdown_definitions.h"

namespace linkherd::parser {
namespace {

// Most lines have none of what every URL has: a colon, an "@", "www".
bool may_hold_url(std::string_view line) {
  return std::ranges::any_of(line, [](char c) { return c == ':' || c == '@'; }) ||
         line.find("www.") != std::string_view::npos || line.find("WWW.") != std::string_view::npos;
}

std::string title_of(std::string_view written) {
  const std::string_view end = end_for_title(written);
  const bool plain = find_either(end, '&', '\\') == std::string_view::npos;
  return title_in_front(plain ? end : std::string_view(decode_references(unescape_markdown(end))));
}

}  // namespace

void MarkdownRun::add(std::size_t offset, std::size_t length) {
  pieces_.push_back({offset, offset + length, emphasis_, std::min(lowest_, emphasis_), 0});
  lowest_ = emphasis_;
}

void MarkdownRun::leave_emphasis() {
  if (emphasis_ > 0) --emphasis_;
  lowest_ = std::min(lowest_, emphasis_);
}

void MarkdownRun::interrupt() {
  scan();
  line_has_link_ = true;
}

void MarkdownRun::end_line() {
  const std::string_view line = pieces_.empty()
                                    ? std::string_view()
                                    : text_.substr(pieces_.front().begin, pieces_.back().end - pieces_.front().begin);
  scan();
  title_ = line_has_link_ ? std::string_view() : line;
  line_has_link_ = false;
}

void MarkdownRun::end_block() {
  scan();
  title_ = {};
  line_has_link_ = false;
  emphasis_ = lowest_ = 0;
}

// A URL in "**https://…**" ends where that emphasis ends, not where the line does: with the last piece that is in all
// the spans of the piece in which the URL begins.
void MarkdownRun::find_emphasis_ends() {
  std::vector<std::size_t> falls;  // the pieces behind, each with less emphasis in front than all those before it
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    const auto shallower = [&](std::size_t piece) { return pieces_[piece].lowest < pieces_[i].emphasis; };
    // Nearest last, so less and less shallow towards the end: the last that is shallow enough is the nearest.
    const auto fall = std::ranges::partition_point(falls, shallower);
    pieces_[i].limit = fall == falls.begin() ? pieces_.back().end : pieces_[*std::prev(fall) - 1].end;
    while (!falls.empty() && pieces_[falls.back()].lowest >= pieces_[i].lowest) falls.pop_back();
    falls.push_back(i);
  }
}

void MarkdownRun::scan() {
  if (pieces_.empty()) return;
  const std::size_t start = pieces_.front().begin;
  const std::string_view line = text_.substr(start, pieces_.back().end - start);
  if (!may_hold_url(line)) {
    pieces_.clear();
    return;
  }
  find_emphasis_ends();
  BareUrlScanner scanner(line, BareUrlContext::markup, [&](std::size_t offset) {
    const auto piece = std::ranges::upper_bound(pieces_, start + offset, {}, &Piece::end);
    return piece == pieces_.end() ? line.size() : piece->limit - start;
  });
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    add_mail(start + from, line.substr(from, url->offset - from));
    const std::string_view written = line.substr(url->offset, url->length);
    std::string title = title_of(line.substr(from, url->offset - from));
    if (title.empty() && !line_has_link_) title = title_of(title_);
    found_.links.push_back({start + url->offset, url->length, LinkElement::bare,
                            decode_references(unescape_markdown(written)), std::move(title), url->unbalanced_bracket});
    from = url->offset + url->length;
    line_has_link_ = true;
  }
  add_mail(start + from, line.substr(from));
  pieces_.clear();
}

// GFM: "name@host.org" is a link.
void MarkdownRun::add_mail(std::size_t offset, std::string_view text) {
  for (const TextRange& mail : mail_addresses(text)) {
    found_.links.push_back({offset + mail.offset,
                            mail.length,
                            LinkElement::bare,
                            "mailto:" + std::string(text.substr(mail.offset, mail.length)),
                            {},
                            false});
  }
}

}  // namespace linkherd::parser
