#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <md4c.h>

#include "parser/ascii.h"
#include "parser/callback_failure.h"
#include "parser/lists/character_references.h"
#include "parser/lists/entry_tracker.h"
#include "parser/lists/found_link.h"
#include "parser/lists/heading_slugs.h"
#include "parser/lists/host_names.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/markdown/footnote_anchors.h"
#include "parser/lists/markdown/includes.h"
#include "parser/lists/markdown/markdown_definitions.h"
#include "parser/lists/markdown/markdown_positions.h"
#include "parser/lists/markdown/markdown_preprocessor.h"
#include "parser/lists/markdown/mdx_syntax.h"
#include "parser/lists/markdown/wikilinks.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_end.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

// Joins the pieces of running text of one line, which md4c splits at emphasis and escapes. So a bare URL is found as a
// whole, and it ends where the emphasis around it ends.
class MarkdownRun {
 public:
  // `text` is the whole document. Links are added to `found`. Links and the text between them are reported to
  // `entries`.
  MarkdownRun(std::string_view text, FoundLinks& found, EntryTracker& entries)
      : text_(text), found_(found), entries_(entries) {}

  // Adds the next piece of running text, which is inside `emphasis_` spans of emphasis.
  void add(std::size_t offset, std::size_t length);
  void enter_emphasis() { ++emphasis_; }
  void leave_emphasis();

  // Must be called for anything on the line that is not running text, such as a link, code or HTML.
  void interrupt();
  void end_line();
  void end_block();

 private:
  struct Piece {
    std::size_t begin;
    std::size_t end;
    std::size_t emphasis;      // number of emphasis spans around the piece
    std::size_t min_emphasis;  // minimum number of open spans since the previous piece
    std::size_t limit;         // end of the emphasis around the piece
  };
  void scan();
  void scan_urls(std::string_view line);
  void pass_text();
  void add_text(std::size_t offset, std::string_view text);
  void find_emphasis_ends();

  std::string_view text_;
  FoundLinks& found_;
  EntryTracker& entries_;
  std::vector<Piece> pieces_;
  std::size_t emphasis_ = 0;
  std::size_t lowest_ = 0;
  std::string_view title_;      // the previous line of the block, if it may be a title
  bool line_has_link_ = false;  // the line has a link or anything else that is not running text
};

// E-mail autolinks by the rules of GitHub. The domain must end in a letter, because "gateway@4.0.146" is the version of
// a package. No "/" may precede the address, because the address would be part of a path.

constexpr std::size_t max_local_part_bytes = 64;

constexpr bool is_local_part(char c) {
  return is_ascii_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+';
}
constexpr bool is_host(char c) { return is_ascii_alphanumeric(c) || c == '-' || c == '_'; }

std::vector<TextRange> mail_addresses(std::string_view text) {
  std::vector<TextRange> found;
  std::size_t done = 0;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t start = at;
    while (start > done && at - start <= max_local_part_bytes && is_local_part(text[start - 1])) --start;
    if (start == at || at - start > max_local_part_bytes || (start > 0 && text[start - 1] == '/')) continue;
    std::size_t end = at + 1;
    bool has_dot = false;
    while (end < text.size() && end - at <= max_host_bytes) {
      const bool dot =
          text[end] == '.' && end + 1 < text.size() && is_ascii_alphanumeric(text[end + 1]) && end > at + 1;
      if (!dot && !is_host(text[end])) break;
      has_dot = has_dot || dot;
      ++end;
    }
    const char last = text[end - 1];
    const bool continues = end < text.size() && text[end] == '@';
    done = at + 1;
    if (!has_dot || !is_ascii_letter(last) || continues) continue;
    found.push_back({start, end - start});
    done = end;
  }
  return found;
}

// A fast check, because every URL has a colon, an "@" or "www.".
bool may_hold_url(std::string_view line) {
  return std::ranges::any_of(line, [](char c) { return c == ':' || c == '@'; }) ||
         line.find("www.") != std::string_view::npos || line.find("WWW.") != std::string_view::npos;
}

std::string title_of(std::string_view written) {
  const std::string_view end = title_tail(written);
  const bool plain = find_either(end, '&', '\\') == std::string_view::npos;
  return title_before_url(plain ? end : std::string_view(decode_references(unescape_markdown(end))));
}

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

// Sets the limit of each piece. A URL in "**https://…**" ends where this emphasis ends, not at the end of the line. Its
// limit is the end of the last piece that is inside all spans of the piece in which the URL begins.
void MarkdownRun::find_emphasis_ends() {
  // Indexes of later pieces, each with a lower `min_emphasis` than all pieces before it. The nearest piece is the last.
  std::vector<std::size_t> falls;
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    const auto shallower = [&](std::size_t piece) { return pieces_[piece].min_emphasis < pieces_[i].emphasis; };
    // `min_emphasis` increases towards the back, so the last piece with a low enough value is the nearest one.
    const auto fall = std::ranges::partition_point(falls, shallower);
    pieces_[i].limit = fall == falls.begin() ? pieces_.back().end : pieces_[*std::prev(fall) - 1].end;
    while (!falls.empty() && pieces_[falls.back()].min_emphasis >= pieces_[i].min_emphasis) falls.pop_back();
    falls.push_back(i);
  }
}

void MarkdownRun::scan() {
  if (pieces_.empty()) return;
  const std::size_t start = pieces_.front().begin;
  const std::string_view line = text_.substr(start, pieces_.back().end - start);
  if (may_hold_url(line)) {
    scan_urls(line);
  } else {
    pass_text();
  }
  if (lowest_ < pieces_.back().emphasis) entries_.end_label();
  pieces_.clear();
}

// Reports the text of a line without URLs.
void MarkdownRun::pass_text() {
  std::size_t emphasis = 0;
  for (const Piece& piece : pieces_) {
    if (piece.min_emphasis < emphasis) entries_.end_label();
    emphasis = piece.emphasis;
    entries_.add_text(text_.substr(piece.begin, piece.end - piece.begin));
  }
}

// Returns true if the delimiter at `at` is part of a URL, although md4c treats it as the end of emphasis. In GFM a URL
// takes precedence over the emphasis around it: in "_a https://b.org/c_(d)" nothing is emphasised.
bool is_delimiter_of_url(std::string_view line, std::size_t at) {
  constexpr std::string_view continues_url = "(/?=&#-%+~@$";
  if (at >= line.size() || (line[at] != '_' && line[at] != '*')) return false;
  constexpr std::size_t max_delimiters = 3;  // per span
  const std::string_view rest = line.substr(at, max_delimiters + 1);
  const std::size_t end = rest.find_first_not_of(rest.front());
  if (end == std::string_view::npos || (rest.front() == '*' && end > 1)) return false;
  return is_ascii_alphanumeric(rest[end]) || continues_url.find(rest[end]) != std::string_view::npos;
}

void MarkdownRun::scan_urls(std::string_view line) {
  const std::size_t start = pieces_.front().begin;
  find_emphasis_ends();
  BareUrlScanner scanner(line, BareUrlContext::markup, [&](std::size_t offset) {
    const auto piece = std::ranges::upper_bound(pieces_, start + offset, {}, &Piece::end);
    const std::size_t limit = piece == pieces_.end() ? line.size() : piece->limit - start;
    return is_delimiter_of_url(line, limit) ? line.size() : limit;
  });
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    add_text(start + from, line.substr(from, url->offset - from));
    const std::string_view written = line.substr(url->offset, url->length);
    std::string title = title_of(line.substr(from, url->offset - from));
    if (title.empty() && !line_has_link_) title = title_of(title_);
    found_.links.emplace_back(start + url->offset, url->length, LinkElement::bare,
                              decode_references(unescape_markdown(written)), title, url->unbalanced_bracket);
    entries_.add_link(found_.links.size() - 1);
    from = url->offset + url->length;
    line_has_link_ = true;
  }
  add_text(start + from, line.substr(from));
}

// Reports text without URLs. In GFM, "name@host.org" in such text is a link.
void MarkdownRun::add_text(std::size_t offset, std::string_view text) {
  std::size_t from = 0;
  for (const TextRange& mail : mail_addresses(text)) {
    entries_.add_text(text.substr(from, mail.offset - from));
    found_.links.emplace_back(offset + mail.offset, mail.length, LinkElement::bare,
                              "mailto:" + std::string(text.substr(mail.offset, mail.length)), FoundText(), false);
    entries_.add_link(found_.links.size() - 1);
    from = mail.offset + mail.length;
  }
  entries_.add_text(text.substr(from));
}

// Bare URLs are found by BareUrlScanner, because md4c includes full-width punctuation and the text after it in the URL.
constexpr unsigned flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
constexpr std::size_t max_open_texts = 4;  // number of innermost nested links (images in links) that get a text

class MarkdownReader {
 public:
  // `mdx` is null for CommonMark. Otherwise it must outlive the reader.
  MarkdownReader(std::string_view text, const MarkdownOptions& options, MdxSyntax* mdx)
      : text_(mdx == nullptr ? text : mdx->html),
        mdx_(mdx),
        wikilinks_(has_wikilinks(options) ? find_wikilinks(mdx == nullptr ? text : mdx->markdown)
                                          : std::vector<Wikilink>()),
        preprocessed_(preprocessed(text, options)),
        positions_(preprocessed_),
        entries_(found_),
        run_(text_, found_, entries_),
        options_(options) {}

  FoundLinks read() {
    MD_PARSER parser{};
    parser.flags = flags | (mdx_ != nullptr ? MD_FLAG_NOINDENTEDCODEBLOCKS : 0U);
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.enter_block(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.leave_block(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.enter_span(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.leave_span(type, detail); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.text(type, {text, size}); });
    };
    // md4c itself fails only when memory runs out. The links found before that are kept.
    md_parse(preprocessed_.data(), static_cast<MD_SIZE>(preprocessed_.size()), &parser, this);
    failure_.rethrow();
    run_.end_block();
    if (mdx_ != nullptr) pass_mdx(text_.size());
    positions_.add_definitions(found_);
    // MkDocs has plugins that use headings of other pages as labels, or definitions from other files ("--8<--").
    const bool may_be_defined =
        options_.generator == SiteGenerator::mkdocs || text_.find("--8<--") != std::string_view::npos;
    if (!undefined_.empty() && !may_be_defined && positions_.has_definitions())
      std::ranges::move(undefined_, std::back_inserter(found_.links));
    read_raw_html();
    if (mdx_ != nullptr) {
      for (const TextRange& comment : mdx_->comments) add_ignore_comment(text_, comment, found_);
      std::ranges::move(mdx_->anchors, std::back_inserter(found_.anchors));
    }
    read_directive_names();
    std::ranges::move(find_includes(text_, options_.generator, code_), std::back_inserter(found_.links));
    if (options_.generator == SiteGenerator::obsidian)
      std::ranges::move(find_block_ids(text_), std::back_inserter(found_.anchors));
    std::ranges::move(find_footnote_anchors(text_, options_.generator), std::back_inserter(anchors_));
    std::ranges::move(anchors_, std::back_inserter(found_.anchors));
    return std::move(found_);
  }

 private:
  static bool has_wikilinks(const MarkdownOptions& options) {
    return options.include_wikilinks || options.generator == SiteGenerator::obsidian;
  }

  std::string preprocessed(std::string_view text, const MarkdownOptions& options) {
    std::string markdown(mdx_ == nullptr ? text : mdx_->markdown);
    hide_wikilinks(markdown, wikilinks_);
    return preprocess_markdown(markdown, options, &hidden_tags_);
  }

  static MarkdownReader& of(void* self) { return *static_cast<MarkdownReader*>(self); }

  template <class F>
  int guard(F&& callback) {
    return failure_.guard(-1, [&] { return callback(*this); });
  }

  // Callbacks of md4c. They return 0 to continue.
  int enter_block(MD_BLOCKTYPE type, void* detail) {
    run_.end_block();
    switch (type) {
      case MD_BLOCK_H:
        heading_.emplace();
        heading_->level = static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level;
        entries_.open_heading();
        break;
      case MD_BLOCK_UL: are_containers_.push_back(false); break;
      case MD_BLOCK_OL: {
        const auto& list = *static_cast<const MD_BLOCK_OL_DETAIL*>(detail);
        are_containers_.push_back(list.start == 0 && list.mark_delimiter == ')');
        break;
      }
      case MD_BLOCK_LI: are_containers_.back() ? entries_.end_phrase() : entries_.open(); break;
      case MD_BLOCK_TR: entries_.open(); break;
      case MD_BLOCK_P:
        paragraph_html_ = raw_html_.size();
        entries_.open_paragraph();
        break;
      default: entries_.end_phrase();  // a cell, code, HTML
    }
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    run_.end_block();
    switch (type) {
      case MD_BLOCK_H: leave_heading(); break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: are_containers_.pop_back(); break;
      case MD_BLOCK_LI:
        if (!are_containers_.back()) entries_.close();
        break;
      case MD_BLOCK_TR: entries_.close(); break;
      case MD_BLOCK_P:
        if (entries_.close_paragraph()) break;
        for (std::size_t i = paragraph_html_; i < html_contexts_.size(); ++i)
          html_contexts_[i].entry = entries_.current_entry();
        break;
      default: break;
    }
    return 0;
  }

  void leave_heading() {
    entries_.close_heading();
    if (!heading_) return;
    heading_->text = collapse_space(heading_->text, max_heading_bytes);
    if (heading_plain_ != heading_->text) heading_->plain = heading_plain_;
    heading_plain_.clear();
    if (options_.generator == SiteGenerator::obsidian) name_by_text(*heading_);
    if (options_.generator == SiteGenerator::hugo)
      std::ranges::move(hugo_slugs(heading_source(heading_->offset)), std::back_inserter(anchors_));
    if (options_.generator == SiteGenerator::jekyll)
      anchors_.push_back(kramdown_slug(heading_source(heading_->offset)));
    if (!heading_->text.empty()) found_.headings.push_back(std::move(*heading_));
    heading_.reset();
  }

  // Returns the line of a heading without its markers.
  std::string_view heading_source(std::size_t offset) const {
    constexpr std::size_t max_before = 1000;
    const std::size_t end = find_line_break(text_, offset);
    const std::size_t from = offset - std::min(offset, max_before);
    std::string_view line = text_.substr(from, end - from);
    const std::size_t start = line.substr(0, offset - from).find_last_of("\r\n");
    if (start != std::string_view::npos) line.remove_prefix(start + 1);
    line.remove_prefix(std::min(line.find_first_not_of("># \t"), line.size()));
    line = trim_ascii(line.substr(0, max_heading_bytes));
    return strip_attributes(line.substr(0, line.find_last_not_of("# \t") + 1));
  }

  // Adds the anchors of a heading in Obsidian, which are its text with and without the characters that links use.
  void name_by_text(const FoundHeading& heading) {
    std::string plain = heading.text;
    std::ranges::replace_if(
        plain, [](char c) { return std::string_view("#^|:%\\[]").find(c) != std::string_view::npos; }, ' ');
    for (const std::string& name : {heading.text, collapse_space(plain, max_heading_bytes)}) {
      anchors_.push_back(name);
      anchors_.push_back(to_lower_case(name));
    }
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) {
      open_link(LinkElement::link, static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
    } else if (type == MD_SPAN_IMG) {
      open_link(LinkElement::image, static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
    } else if (type != MD_SPAN_CODE) {
      run_.enter_emphasis();
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type, void*) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
      close_link();
    } else if (type != MD_SPAN_CODE) {
      run_.leave_emphasis();
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view piece) {
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
      run_.end_line();
      if (open_.empty()) entries_.end_line();
      add_words(" ");
      return 0;
    }
    const std::optional<std::size_t> offset = positions_.note_text(piece);
    if (!offset) return 0;  // a line break that md4c inserted
    if (mdx_ != nullptr) {
      const bool is_mdx = contains_offset(mdx_->parts, *offset);
      pass_mdx(*offset + (is_mdx || type == MD_TEXT_HTML ? piece.size() : 0));
      if (is_mdx) return 0;
    }
    const std::string_view written = text_.substr(*offset, piece.size());
    if (heading_ && heading_->text.empty()) heading_->offset = *offset;
    if (type == MD_TEXT_ENTITY && pass_wikilink(*offset)) return 0;
    switch (type) {
      case MD_TEXT_HTML:
        if (is_placeholder_tag(written)) {  // a placeholder as in "https://<host>/", not a tag
          running_text(*offset, written);
        } else {
          add_raw_html({*offset, piece.size()});
        }
        break;
      case MD_TEXT_CODE:
        run_.interrupt();
        add_words(written);
        code_.push_back({*offset, piece.size()});
        if (open_.empty()) pass_code(*offset, written);
        break;
      default:
        running_text(*offset, written);
        if (type == MD_TEXT_NORMAL && open_.empty()) note_undefined_labels(*offset, written);
    }
    return 0;
  }

  // Records "[text][label]" in running text, which is a link whose label has no definition.
  void note_undefined_labels(std::size_t offset, std::string_view written) {
    for (std::size_t at = written.find("]["); at != std::string_view::npos; at = written.find("][", at + 1)) {
      const std::size_t start = at + 2;
      const std::size_t end = written.find(']', start);
      if (end == std::string_view::npos) return;
      const std::string_view label = written.substr(start, end - start);
      const std::size_t after = offset + end + 1;
      const char next = after < text_.size() ? text_[after] : ' ';
      const bool goes_on = is_ascii_alphanumeric(next) || std::string_view("[(:").find(next) != std::string_view::npos;
      if (goes_on || !may_be_label(label)) continue;
      if (const std::string_view shown = text_of_label(offset + at); !shown.empty())
        undefined_.emplace_back(offset + start, label.size(), LinkElement::link, FoundText(), shown);
    }
  }

  // Returns true for a label that consists of words. Other labels are footnotes, citations, names in code
  // ("module.Class") or template expressions.
  static bool may_be_label(std::string_view label) {
    constexpr std::size_t max_label = 100;
    constexpr std::string_view others = "{}<>=$%\"|*\\@;[]^!?\n";
    return label.size() >= 2 && label.size() <= max_label && std::ranges::any_of(label, is_ascii_letter) &&
           label.find_first_of(others) == std::string_view::npos && label.find("::") == std::string_view::npos &&
           (label.find('.') == std::string_view::npos || label.find(' ') != std::string_view::npos) &&
           !is_ascii_space(label.front()) && !is_ascii_space(label.back());
  }

  // Returns the text in the brackets that end at `close`. Empty if they cannot begin a link, as in "array[i][j]" and
  // "[x][y]".
  std::string_view text_of_label(std::size_t close) const {
    constexpr std::size_t max_text = 300;
    constexpr std::size_t min_text = 2;
    std::size_t depth = 1;
    std::size_t open = close;
    while (depth > 0) {
      if (open == 0 || close - open > max_text) return {};
      --open;
      if (text_[open] == ']') ++depth;
      if (text_[open] == '[') --depth;
      if (text_[open] == '\n' && open > 0 && text_[open - 1] == '\n') return {};
    }
    const char before = open > 0 ? text_[open - 1] : ' ';
    const bool can_begin =
        is_ascii_space(before) || std::string_view("(*_\"'!,;.>-|").find(before) != std::string_view::npos;
    const std::string_view text = trim_ascii(text_.substr(open + 1, close - open - 1));
    const bool has_letter = std::ranges::any_of(text, [](char c) { return is_ascii_letter(c) || is_not_ascii(c); });
    return can_begin && has_letter && text.size() >= min_text ? text : std::string_view();
  }

  void open_link(LinkElement element, const MD_ATTRIBUTE& target) {
    run_.interrupt();
    if (element == LinkElement::image && !open_.empty()) open_.back().has_image = true;
    open_.push_back({positions_.open(element, target), {}, element == LinkElement::image});
  }

  void close_link() {
    run_.interrupt();
    if (open_.empty()) return;
    OpenLink link = std::move(open_.back());
    open_.pop_back();
    FoundLink found = positions_.close(link.id);
    if (found.element == LinkElement::autolink && !found.target.view().empty() &&
        !is_ascii_letter(found.target.view().front())) {
      return scan_plain(found.offset, text_.substr(found.offset, found.length));  // md4c 0.4.8 accepts "< a:b>"
    }
    found.text = collapse_space(link.text, max_link_text_bytes);
    // If the target has no escapes, its original text is used, because the preprocessor modified the input of md4c.
    if (found.length == found.target.view().size())
      found.target = std::string(text_.substr(found.offset, found.length));
    if (found.target.view().empty() && found.element != LinkElement::link) return;
    found.context.is_badge = link.has_image && !link.has_words;
    const bool is_aside = found.element == LinkElement::image;
    found_.links.push_back(std::move(found));
    is_aside ? entries_.add_resource(found_.links.size() - 1) : entries_.add_link(found_.links.size() - 1);
  }

  // Reads the wikilink that was hidden at `offset`. Returns false if there is none.
  bool pass_wikilink(std::size_t offset) {
    const auto after =
        std::ranges::upper_bound(wikilinks_, offset, {}, [](const Wikilink& l) { return l.whole.offset; });
    if (after == wikilinks_.begin()) return false;
    const Wikilink& link = *std::prev(after);
    if (offset >= link.whole.offset + link.whole.length) return false;
    const std::string_view target = text_.substr(link.target.offset, link.target.length);
    if (offset > link.whole.offset || target == "_TOC_") return true;
    const std::string_view words = text_.substr(link.text.offset, link.text.length);
    run_.interrupt();
    found_.links.emplace_back(link.target.offset, link.target.length, LinkElement::wikilink, target,
                              collapse_space(words, max_link_text_bytes));
    entries_.add_link(found_.links.size() - 1);
    add_words(words);
    return true;
  }

  // Finds the name in an attribute list with an escape, such as "{#\_fn_1}". md4c ends a text at each escape.
  void find_escaped_anchor(std::size_t offset, std::string_view written) {
    const std::size_t open = written.rfind('{');
    if (open == std::string_view::npos || written.find('}', open) != std::string_view::npos) return;
    const std::string_view list = text_.substr(offset + open, max_attribute_list_bytes);
    const std::string_view whole = list.substr(0, list.find_first_of("}\n") + 1);
    if (!whole.ends_with('}') || whole.find('\\') == std::string_view::npos) return;
    for (std::string& name : find_named_anchors(unescape_markdown(whole))) anchors_.push_back(std::move(name));
  }

  void running_text(std::size_t offset, std::string_view written) {
    if (written.find('{') != std::string_view::npos || written.starts_with('(')) {
      for (std::string& name : find_named_anchors(written)) anchors_.push_back(std::move(name));
      find_escaped_anchor(offset, written);
    }
    // The text is cut before decoding, because link texts are limited anyway.
    if (!open_.empty() || heading_) add_words(decode_references(written.substr(0, 2 * max_link_text_bytes)));
    if (open_.empty()) run_.add(offset, written.size());
  }

  void add_words(std::string_view words) {
    if (heading_ && heading_->text.size() < 2 * max_heading_bytes) {
      heading_->text.append(words);
      const bool in_image = !open_.empty() && open_.back().is_image;
      if (!in_image) heading_plain_.append(words);
    }
    const std::size_t first = open_.size() > max_open_texts ? open_.size() - max_open_texts : 0;
    for (std::size_t i = first; i < open_.size(); ++i) {
      if (open_[i].text.size() < 2 * max_link_text_bytes) open_[i].text.append(words);
    }
    if (!open_.empty() && !trim_ascii(words).empty()) open_.back().has_words = true;
  }

  void scan_plain(std::size_t offset, std::string_view code) {
    BareUrlScanner scanner(code, BareUrlContext::plain);
    while (const std::optional<BareUrl> url = scanner.next()) {
      found_.links.emplace_back(offset + url->offset, url->length, LinkElement::bare,
                                std::string(code.substr(url->offset, url->length)), FoundText(),
                                url->unbalanced_bracket);
      entries_.add_link(found_.links.size() - 1);
    }
  }

  void pass_code(std::size_t offset, std::string_view code) {
    if (options_.include_verbatim) scan_plain(offset, code);
    entries_.add_text(code);
    entries_.end_label();
  }

  // Reads ":name: fig-x" and ":label: fig-x" in MyST directives, whose content may be code, and "#| label: fig-x" in
  // Quarto cells.
  void read_directive_names() {
    for (const std::string_view option : {":name: ", ":label: ", "#| label: ", "//| label: "}) {
      for (std::size_t at = text_.find(option); at != std::string_view::npos; at = text_.find(option, at + 1)) {
        std::size_t before = at;
        while (before > 0 && (text_[before - 1] == ' ' || text_[before - 1] == '\t')) --before;
        if (before > 0 && text_[before - 1] != '\n' && text_[before - 1] != '\r') continue;
        const std::size_t name = at + option.size();
        anchors_.emplace_back(trim_ascii(text_.substr(name, find_line_break(text_, name) - name)));
      }
    }
  }

  // Reads the MDX parts that begin before `end`, which md4c has passed or does not see.
  void pass_mdx(std::size_t end) {
    const auto take_before = [end](auto& ranges, std::size_t& next, const auto& take) {
      for (; next < ranges.size() && ranges[next].offset < end; ++next) take(ranges[next]);
    };
    const auto take_link = [this](FoundLink& link) {
      run_.interrupt();
      const bool is_aside = link.element == LinkElement::resource;
      found_.links.push_back(std::move(link));
      is_aside ? entries_.add_resource(found_.links.size() - 1) : entries_.add_link(found_.links.size() - 1);
    };
    take_before(mdx_->links, passed_.links, take_link);
    take_before(mdx_->html_tags, passed_.html_tags, [this](const TextRange& range) { add_raw_html(range); });
    take_before(mdx_->code, passed_.code, [this](const TextRange& range) {
      run_.interrupt();
      if (options_.include_verbatim) scan_plain(range.offset, text_.substr(range.offset, range.length));
    });
    take_before(mdx_->parts, passed_.parts, [this](const TextRange&) { run_.interrupt(); });
  }

  void add_raw_html(TextRange range) {
    run_.interrupt();
    const std::string_view tag = text_.substr(range.offset, range.length);
    if (starts_ignoring_case(tag, "</a")) entries_.end_nested_link();
    if (starts_ignoring_case(tag, "<br")) entries_.end_line();
    raw_html_.push_back(range);
    html_contexts_.push_back({entries_.current_entry(), entries_.link_context()});
  }

  // Adds the tags that md4c does not see because the preprocessor hides them. They are outside of entries.
  void add_hidden_tags() {
    if (hidden_tags_.empty()) return;
    std::vector<TextRange> ranges;
    std::vector<HtmlContext> contexts;
    std::size_t hidden = 0;
    const auto add_until = [&](std::size_t offset) {
      for (; hidden < hidden_tags_.size() && hidden_tags_[hidden].offset < offset; ++hidden) {
        ranges.push_back(hidden_tags_[hidden]);
        contexts.emplace_back();
      }
    };
    for (std::size_t i = 0; i < raw_html_.size(); ++i) {
      add_until(raw_html_[i].offset);
      ranges.push_back(raw_html_[i]);
      contexts.push_back(html_contexts_[i]);
    }
    add_until(text_.size());
    raw_html_ = std::move(ranges);
    html_contexts_ = std::move(contexts);
  }

  // Reads all raw HTML as one page in which everything else is blanked. Texts are kept, because they may be the text of
  // an <a>.
  void read_raw_html() {
    add_hidden_tags();
    if (raw_html_.empty()) return;
    std::string page(text_.size(), ' ');
    for (const TextRange& range : positions_.texts()) {
      std::transform(text_.begin() + static_cast<std::ptrdiff_t>(range.offset),
                     text_.begin() + static_cast<std::ptrdiff_t>(range.offset + range.length),
                     page.begin() + static_cast<std::ptrdiff_t>(range.offset),
                     [](char c) { return c == '<' ? ' ' : c; });
    }
    for (const TextRange& range : raw_html_)
      page.replace(range.offset, range.length, text_.substr(range.offset, range.length));
    FoundLinks inside = read_html_fragment(page, options_.include_verbatim);
    for (FoundLink& link : inside.links) {
      const auto after = std::ranges::upper_bound(raw_html_, link.offset, {}, &TextRange::offset);
      const bool is_html = after != raw_html_.begin() && contains_offset(raw_html_, link.offset);
      // Bare URLs in texts are already found, or they are in a link text or in code.
      if (link.element == LinkElement::bare && !is_html) continue;
      if (link.entry != 0) {
        link.entry += found_.entries;
      } else if (is_html) {
        add_html_link(link, html_contexts_[static_cast<std::size_t>(after - raw_html_.begin()) - 1]);
      }
      found_.links.push_back(std::move(link));
    }
    found_.entries += inside.entries;
    for (FoundHeading& heading : inside.headings) found_.headings.push_back(std::move(heading));
    found_.comments = std::move(inside.comments);
    found_.anchors = std::move(inside.anchors);
  }

  // The entry and the preceding text of a piece of raw HTML.
  struct HtmlContext {
    std::uint32_t entry = 0;
    LinkContext context;
  };
  static void add_html_link(FoundLink& link, const HtmlContext& html_context) {
    const LinkContext own = link.context;
    link.entry = html_context.entry;
    link.context = html_context.context;
    link.context.is_joined_after = own.is_joined_after;
    link.context.has_comma_after = own.has_comma_after;
    link.context.ends_sentence = own.ends_sentence;
    link.context.is_badge = own.is_badge;
  }

  struct OpenLink {
    std::size_t id;
    std::string text;
    bool is_image = false;
    bool has_words = false;  // its text has words besides the texts of images in it
    bool has_image = false;
  };

  // The number of MDX parts that have been read, by kind.
  struct PassedMdx {
    std::size_t links = 0;
    std::size_t html_tags = 0;
    std::size_t code = 0;
    std::size_t parts = 0;
  };

  std::string_view text_;
  MdxSyntax* mdx_;
  PassedMdx passed_;
  std::vector<Wikilink> wikilinks_;
  std::vector<TextRange> hidden_tags_;  // tags of elements whose content is Markdown
  std::string preprocessed_;
  FoundLinks found_;
  MarkdownPositions positions_;
  EntryTracker entries_;
  MarkdownRun run_;
  MarkdownOptions options_;
  std::vector<OpenLink> open_;
  std::vector<bool> are_containers_;  // for each open list: made from admonitions or tabs (see preprocess_markdown())
  std::optional<FoundHeading> heading_;
  std::string heading_plain_;         // text of the heading without the texts of images
  std::vector<FoundLink> undefined_;  // links whose labels have no definition
  std::vector<std::string> anchors_;  // anchors that the text names
  std::vector<TextRange> code_;
  std::vector<TextRange> raw_html_;
  std::vector<HtmlContext> html_contexts_;  // context of each element of `raw_html_`
  std::size_t paragraph_html_ = 0;          // index of the first piece of raw HTML in the current paragraph
  CallbackFailure failure_;                 // the exception thrown in a callback, if any
};

}  // namespace

FoundLinks read_markdown_links(std::string_view text, const MarkdownOptions& options) {
  const bool may_be_mdx = options.generator == SiteGenerator::docusaurus;
  if (!options.is_mdx && !may_be_mdx) return MarkdownReader(text, options, nullptr).read();
  MdxSyntax mdx = read_mdx_syntax(text);
  MarkdownOptions read_options = options;
  read_options.is_mdx = options.is_mdx || mdx.is_valid;
  return MarkdownReader(text, read_options, read_options.is_mdx ? &mdx : nullptr).read();
}

}  // namespace linkherd::parser
