#include "parser/lists/markdown_list.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <md4c.h>

#include "parser/ascii.h"
#include "parser/callback_failure.h"
#include "parser/lists/bare_url_end.h"
#include "parser/lists/bare_url_scanner.h"
#include "parser/lists/character_references.h"
#include "parser/lists/html_list.h"
#include "parser/lists/list_text.h"
#include "parser/lists/markdown_guard.h"
#include "parser/lists/markdown_places.h"
#include "parser/lists/markdown_runs.h"

namespace linkherd::parser {
namespace {

// Bare URLs are ours to find: md4c's rule takes full-width punctuation and what follows it into the URL.
constexpr unsigned flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
constexpr std::size_t max_open_texts = 4;  // of links around links (images in links), innermost first

class MarkdownReader {
 public:
  MarkdownReader(std::string_view text, const MarkdownOptions& options)
      : text_(text), guarded_(guard_markdown(text)), places_(guarded_), run_(text, found_), options_(options) {}

  FoundLinks read() {
    found_.links.reserve(text_.size() / bytes_per_link);
    MD_PARSER parser{};
    parser.flags = flags | (options_.include_wikilinks ? MD_FLAG_WIKILINKS : 0U);
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return of(self).guard([&](MarkdownReader& reader) { return reader.enter_block(type); });
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
    // By itself it fails only for want of memory; what was found until then counts.
    md_parse(guarded_.data(), static_cast<MD_SIZE>(guarded_.size()), &parser, this);
    failure_.rethrow();
    run_.end_block();
    places_.add_definitions(found_);
    read_raw_html();
    return std::move(found_);
  }

 private:
  static MarkdownReader& of(void* self) { return *static_cast<MarkdownReader*>(self); }

  template <class F>
  int guard(F&& callback) {
    return failure_.guard(-1, [&] { return callback(*this); });
  }

  // --- what md4c calls; 0 means "go on"
  int enter_block(MD_BLOCKTYPE type) {
    run_.end_block();
    if (type == MD_BLOCK_H) heading_.emplace();
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    run_.end_block();
    if (type != MD_BLOCK_H || !heading_) return 0;
    heading_->text = collapse_space(heading_->text, max_heading_bytes);
    if (!heading_->text.empty()) found_.headings.push_back(std::move(*heading_));
    heading_.reset();
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) {
      open_link(LinkElement::link, static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
    } else if (type == MD_SPAN_IMG) {
      open_link(LinkElement::image, static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src);
    } else if (type == MD_SPAN_WIKILINK) {
      open_link(LinkElement::wikilink, static_cast<const MD_SPAN_WIKILINK_DETAIL*>(detail)->target);
    } else if (type != MD_SPAN_CODE) {
      run_.enter_emphasis();
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type, void*) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG || type == MD_SPAN_WIKILINK) {
      close_link();
    } else if (type != MD_SPAN_CODE) {
      run_.leave_emphasis();
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view piece) {
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
      run_.end_line();
      add_words(" ");
      return 0;
    }
    const std::optional<std::size_t> offset = places_.note_text(piece);
    if (!offset) return 0;  // a line break that md4c made
    const std::string_view written = text_.substr(*offset, piece.size());
    if (heading_ && heading_->text.empty()) heading_->offset = *offset;
    switch (type) {
      case MD_TEXT_HTML:
        if (is_placeholder_tag(written)) {  // "https://<host>/": no tag, but an illustration
          running_text(*offset, written);
        } else {
          run_.interrupt();
          raw_html_.push_back({*offset, piece.size()});
        }
        break;
      case MD_TEXT_CODE:
        run_.interrupt();
        add_words(written);
        if (options_.include_verbatim && open_.empty()) scan_plain(*offset, written);
        break;
      default: running_text(*offset, written);
    }
    return 0;
  }

  // --- links
  void open_link(LinkElement element, const MD_ATTRIBUTE& target) {
    run_.interrupt();
    open_.push_back({places_.open(element, target), {}});
  }

  void close_link() {
    run_.interrupt();
    if (open_.empty()) return;
    OpenLink link = std::move(open_.back());
    open_.pop_back();
    FoundLink found = places_.close(link.id);
    if (found.element == LinkElement::autolink && !found.target.empty() && !is_ascii_letter(found.target.front())) {
      return scan_plain(found.offset, text_.substr(found.offset, found.length));  // md4c 0.4.8 takes "< a:b>" for one
    }
    found.text = collapse_space(link.text, max_link_text_bytes);
    // Where nothing is escaped, as it is written: what md4c reads was made safe.
    if (found.length == found.target.size()) found.target = text_.substr(found.offset, found.length);
    if (!found.target.empty()) found_.links.push_back(std::move(found));
  }

  void running_text(std::size_t offset, std::string_view written) {
    // Cut before it is decoded: a text is kept to recognise the link by.
    if (!open_.empty() || heading_) add_words(decode_references(written.substr(0, 2 * max_link_text_bytes)));
    if (open_.empty()) run_.add(offset, written.size());
  }

  void add_words(std::string_view words) {
    if (heading_ && heading_->text.size() < 2 * max_heading_bytes) heading_->text.append(words);
    const std::size_t first = open_.size() > max_open_texts ? open_.size() - max_open_texts : 0;
    for (std::size_t i = first; i < open_.size(); ++i) {
      if (open_[i].text.size() < 2 * max_link_text_bytes) open_[i].text.append(words);
    }
  }

  void scan_plain(std::size_t offset, std::string_view code) {
    BareUrlScanner scanner(code, BareUrlContext::plain);
    while (const std::optional<BareUrl> url = scanner.next()) {
      found_.links.push_back({offset + url->offset,
                              url->length,
                              LinkElement::bare,
                              std::string(code.substr(url->offset, url->length)),
                              {},
                              url->unbalanced_bracket});
    }
  }

  // --- raw HTML
  // Read as one page in which all the rest is blank, except for the texts: they may be the text of an <a>.
  void read_raw_html() {
    if (raw_html_.empty()) return;
    std::string page(text_.size(), ' ');
    for (const TextRange& range : places_.texts()) {
      std::transform(text_.begin() + static_cast<std::ptrdiff_t>(range.offset),
                     text_.begin() + static_cast<std::ptrdiff_t>(range.offset + range.length),
                     page.begin() + static_cast<std::ptrdiff_t>(range.offset),
                     [](char c) { return c == '<' ? ' ' : c; });
    }
    for (const TextRange& range : raw_html_)
      page.replace(range.offset, range.length, text_.substr(range.offset, range.length));
    FoundLinks inside = read_html_list(page, options_.include_verbatim);
    for (FoundLink& link : inside.links) {
      // Bare URLs in texts were found already, or stand in a link's text or in code.
      if (link.element != LinkElement::bare || contains_offset(raw_html_, link.offset))
        found_.links.push_back(std::move(link));
    }
    for (FoundHeading& heading : inside.headings) found_.headings.push_back(std::move(heading));
    found_.comments = std::move(inside.comments);
    found_.anchors = std::move(inside.anchors);
  }

  struct OpenLink {
    std::size_t id;
    std::string text;
  };

  std::string_view text_;
  std::string guarded_;
  FoundLinks found_;
  MarkdownPlaces places_;
  MarkdownRun run_;
  MarkdownOptions options_;
  std::vector<OpenLink> open_;
  std::optional<FoundHeading> heading_;
  std::vector<TextRange> raw_html_;
  CallbackFailure failure_;  // in what md4c called
};

}  // namespace

FoundLinks read_markdown_list(std::string_view text, const MarkdownOptions& options) {
  return MarkdownReader(text, options).read();
}

}  // namespace linkherd::parser
