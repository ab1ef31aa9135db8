#include "parser/lists/html_list.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/bare_url_scanner.h"
#include "parser/lists/character_references.h"
#include "parser/lists/html_ignored.h"
#include "parser/lists/html_link_attributes.h"
#include "parser/lists/html_tokenizer.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/json_list.h"
#include "parser/lists/list_text.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/xml_tokenizer.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_rel_bytes = 100;

bool is_heading(std::string_view name) {
  return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
}

// Elements whose content is shown as it is typed.
bool is_verbatim(std::string_view name) { return name == "pre" || name == "code" || name == "samp" || name == "kbd"; }

class HtmlReader {
 public:
  HtmlReader(std::string_view text, bool include_verbatim, bool is_inner)
      : text_(text), include_verbatim_(include_verbatim), is_inner_(is_inner) {}

  FoundLinks read() {
    HtmlTokenizer tokens(text_);
    while (const HtmlToken* token = tokens.next()) {
      switch (token->kind) {
        case HtmlToken::Kind::start_tag: start_tag(*token); break;
        case HtmlToken::Kind::end_tag: end_tag(token->name); break;
        case HtmlToken::Kind::text: running_text({token->offset, token->length}); break;
        case HtmlToken::Kind::raw_text: raw_text(*token); break;
        case HtmlToken::Kind::comment: note_comment(text_, {token->offset, token->length}, found_); break;
      }
    }
    close_anchor();
    close_heading();
    return std::move(found_);
  }

 private:
  void start_tag(const HtmlToken& tag) {
    ignored_.start_tag(tag);
    const HtmlAttributeValue* type = tag.name == "script" ? tag.attribute("type") : nullptr;
    json_ld_ = type != nullptr && equals_ignoring_case(trim_ascii(value_of(*type)), "application/ld+json");
    if (tag.name == "a") close_anchor();  // links do not nest
    if (is_heading(tag.name)) {
      close_heading();
      found_.headings.push_back({tag.offset, {}});
      in_heading_ = true;
    }
    if (is_verbatim(tag.name)) ++verbatim_;
    add_anchors(tag);
    if (tag.name == "base") {
      const HtmlAttributeValue* href = tag.attribute("href");
      if (href != nullptr && found_.base.empty()) found_.base = value_of(*href);
      return;
    }
    for (const LinkAttribute& rule : link_attributes()) {
      if (rule.element != tag.name) continue;
      if (const HtmlAttributeValue* value = tag.attribute(rule.attribute)) add_links(tag, rule, *value);
    }
    if (const HtmlAttributeValue* alt = tag.name == "img" ? tag.attribute("alt") : nullptr) add_text(value_of(*alt));
    if (tag.name == "br" || tag.name == "li" || tag.name == "p" || tag.name == "td") add_text(" ");
  }

  void end_tag(std::string_view name) {
    ignored_.end_tag(name);
    if (name == "a") close_anchor();
    if (is_heading(name)) close_heading();
    if (is_verbatim(name) && verbatim_ > 0) --verbatim_;
  }

  void add_links(const HtmlToken& tag, const LinkAttribute& rule, const HtmlAttributeValue& value) {
    const TextRange place{value.offset, value.length};
    switch (rule.form) {
      case ValueForm::url: {
        add_link(trimmed(text_, place), rule.kind, name_of(tag));
        if (const HtmlAttributeValue* rel = tag.attribute("rel")) {
          found_.links.back().rel = collapse_space(value_of(*rel).substr(0, max_rel_bytes), max_rel_bytes);
        }
        if (tag.name == "a" && rule.attribute == "href") anchor_ = found_.links.size() - 1;
        break;
      }
      case ValueForm::urls:
        for (const TextRange& url : separated_urls(text_, place)) add_link(url, rule.kind, {});
        break;
      case ValueForm::page: add_page(place); break;
      case ValueForm::srcset:
        for (const TextRange& url : srcset_urls(text_, place)) add_link(url, rule.kind, name_of(tag));
        break;
      case ValueForm::refresh: {
        const HtmlAttributeValue* equivalent = tag.attribute("http-equiv");
        if (equivalent == nullptr || !equals_ignoring_case(trim_ascii(value_of(*equivalent)), "refresh")) break;
        if (const std::optional<TextRange> url = refresh_url(text_, place)) add_link(*url, rule.kind, {});
        break;
      }
    }
  }

  void add_anchors(const HtmlToken& tag) {
    if (const HtmlAttributeValue* id = tag.attribute("id")) found_.anchors.push_back(value_of(*id));
    const HtmlAttributeValue* name = tag.name == "a" ? tag.attribute("name") : nullptr;
    if (name != nullptr) found_.anchors.push_back(value_of(*name));
  }

  void add_link(TextRange place, LinkElement kind, std::string name) {
    found_.links.push_back({place.offset, place.length, kind,
                            decode_attribute_value(text_.substr(place.offset, place.length)), std::move(name), false});
    found_.links.back().ignored_by = ignored_.by();
  }

  // A page inside an attribute, escaped as any value is.
  void add_page(TextRange place) {
    if (is_inner_) return;
    MappedText page;
    unescape_xml(text_, place, page);
    add_mapped(found_, HtmlReader(page.text(), include_verbatim_, true).read(), page);
  }

  void raw_text(const HtmlToken& token) {
    if (token.name == "script" && json_ld_) add_json_ld_links(text_, {token.offset, token.length}, found_);
  }

  std::string value_of(const HtmlAttributeValue& value) const {
    return decode_attribute_value(text_.substr(value.offset, value.length));
  }

  // What an element that has no text of its own is called.
  std::string name_of(const HtmlToken& tag) const {
    for (const std::string_view attribute : {"alt", "aria-label", "title"}) {
      if (const HtmlAttributeValue* value = tag.attribute(attribute); value != nullptr && value->length > 0) {
        return collapse_space(value_of(*value), max_link_text_bytes);
      }
    }
    return {};
  }

  void running_text(TextRange place) {
    const std::string_view words = text_.substr(place.offset, place.length);
    if (anchor_ || in_heading_) add_text(decode_attribute_value(words.substr(0, 2 * max_link_text_bytes)));
    if (anchor_ || (verbatim_ > 0 && !include_verbatim_)) return;
    BareUrlScanner scanner(words, BareUrlContext::markup);
    std::size_t from = 0;
    while (const std::optional<BareUrl> url = scanner.next()) {
      const std::string_view written = words.substr(url->offset, url->length);
      found_.links.push_back({place.offset + url->offset, url->length, LinkElement::bare, decode_references(written),
                              title_in_front(decode_references(end_for_title(words.substr(from, url->offset - from)))),
                              url->unbalanced_bracket});
      found_.links.back().ignored_by = ignored_.by();
      from = url->offset + url->length;
    }
  }

  void add_text(std::string_view words) {
    if (anchor_ && anchor_text_.size() < 2 * max_link_text_bytes) anchor_text_.append(words);
    if (in_heading_ && heading_text_.size() < 2 * max_heading_bytes) heading_text_.append(words);
  }

  void close_anchor() {
    if (!anchor_) return;
    std::string text = collapse_space(anchor_text_, max_link_text_bytes);
    if (!text.empty()) found_.links[*anchor_].text = std::move(text);
    anchor_.reset();
    anchor_text_.clear();
  }

  void close_heading() {
    if (!in_heading_) return;
    found_.headings.back().text = collapse_space(heading_text_, max_heading_bytes);
    if (found_.headings.back().text.empty()) found_.headings.pop_back();
    in_heading_ = false;
    heading_text_.clear();
  }

  std::string_view text_;
  bool include_verbatim_;
  bool is_inner_;  // a page within a page: the last
  bool json_ld_ = false;
  HtmlIgnored ignored_;
  FoundLinks found_;
  std::optional<std::size_t> anchor_;  // the link whose text is being read
  std::string anchor_text_;
  bool in_heading_ = false;
  std::string heading_text_;
  std::size_t verbatim_ = 0;  // how many such elements are open
};

}  // namespace

FoundLinks read_html_list(std::string_view text, bool include_verbatim) {
  return HtmlReader(text, include_verbatim, false).read();
}

}  // namespace linkherd::parser
