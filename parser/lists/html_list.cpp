#include "parser/lists/html_list.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/html/ascii.h"
#include "parser/lists/bare_url_scanner.h"
#include "parser/lists/character_references.h"
#include "parser/lists/html_tokenizer.h"
#include "parser/lists/list_text.h"

namespace linkherd::parser {
namespace {

enum class ValueForm : std::uint8_t { url, srcset, refresh };

// Which attributes of which elements hold URLs, and as what.
struct LinkAttribute {
  std::string_view element;
  std::string_view attribute;
  LinkElement kind;
  ValueForm form = ValueForm::url;
};

constexpr std::array<LinkAttribute, 23> link_attributes{
    {{"a", "href", LinkElement::link},
     {"area", "href", LinkElement::link},
     {"img", "src", LinkElement::image},
     {"img", "srcset", LinkElement::image, ValueForm::srcset},
     {"source", "src", LinkElement::resource},
     {"source", "srcset", LinkElement::image, ValueForm::srcset},
     {"link", "href", LinkElement::resource},
     {"link", "imagesrcset", LinkElement::image, ValueForm::srcset},
     {"script", "src", LinkElement::resource},
     {"iframe", "src", LinkElement::resource},
     {"frame", "src", LinkElement::resource},
     {"video", "src", LinkElement::resource},
     {"video", "poster", LinkElement::image},
     {"audio", "src", LinkElement::resource},
     {"track", "src", LinkElement::resource},
     {"embed", "src", LinkElement::resource},
     {"object", "data", LinkElement::resource},
     {"image", "href", LinkElement::image},
     {"input", "src", LinkElement::image},
     {"input", "formaction", LinkElement::form},
     {"button", "formaction", LinkElement::form},
     {"form", "action", LinkElement::form},
     {"meta", "content", LinkElement::refresh, ValueForm::refresh}}};

struct Place {
  std::size_t offset = 0;
  std::size_t length = 0;
};

Place trimmed(std::string_view text, Place place) {
  const std::string_view whole = text.substr(place.offset, place.length);
  const std::string_view inside = trim_ascii(whole);
  return {place.offset + static_cast<std::size_t>(inside.data() - whole.data()), inside.size()};
}

// "a.png 1x, b.png 2x": the places of its URLs, by the standard's rules.
std::vector<Place> srcset_urls(std::string_view text, Place place) {
  std::vector<Place> urls;
  const std::size_t end = place.offset + place.length;
  std::size_t at = place.offset;
  while (true) {
    while (at < end && (is_ascii_space(text[at]) || text[at] == ',')) ++at;
    if (at >= end) return urls;
    const std::size_t start = at;
    while (at < end && !is_ascii_space(text[at])) ++at;
    std::size_t last = at;
    while (last > start && text[last - 1] == ',') --last;
    urls.push_back({start, last - start});
    if (last != at) continue;  // a comma ended it: no descriptor follows
    for (int depth = 0; at < end && (depth > 0 || text[at] != ','); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')') depth = std::max(0, depth - 1);
    }
  }
}

// "5; url='https://…'": the place of its URL; nothing where it only says when to load again.
std::optional<Place> refresh_url(std::string_view text, Place place) {
  const std::size_t end = place.offset + place.length;
  std::size_t at = place.offset;
  const auto skip_spaces = [&] {
    while (at < end && is_ascii_space(text[at])) ++at;
  };
  skip_spaces();
  while (at < end && (is_ascii_digit(text[at]) || text[at] == '.')) ++at;
  skip_spaces();
  if (at >= end || (text[at] != ';' && text[at] != ',')) return std::nullopt;
  ++at;
  skip_spaces();
  if (starts_ignoring_case(text.substr(at, std::min<std::size_t>(3, end - at)), "url")) {
    const std::size_t name = at;
    at += 3;
    skip_spaces();
    if (at < end && text[at] == '=') {
      ++at;
      skip_spaces();
    } else {
      at = name;
    }
  }
  if (at >= end) return std::nullopt;
  std::size_t last = end;
  if (const char quote = text[at]; quote == '"' || quote == '\'') {
    ++at;
    last = std::min(text.find(quote, at), end);
  }
  return trimmed(text, {at, last - at});
}

bool is_heading(std::string_view name) {
  return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
}

// Elements whose content is shown as it is typed.
bool is_verbatim(std::string_view name) { return name == "pre" || name == "code" || name == "samp" || name == "kbd"; }

class HtmlReader {
 public:
  HtmlReader(std::string_view text, bool include_verbatim) : text_(text), include_verbatim_(include_verbatim) {}

  FoundLinks read() {
    HtmlTokenizer tokens(text_);
    while (const HtmlToken* token = tokens.next()) {
      switch (token->kind) {
        case HtmlToken::Kind::start_tag: start_tag(*token); break;
        case HtmlToken::Kind::end_tag: end_tag(token->name); break;
        case HtmlToken::Kind::text: running_text({token->offset, token->length}); break;
        case HtmlToken::Kind::raw_text: break;
      }
    }
    close_anchor();
    close_heading();
    return std::move(found_);
  }

 private:
  void start_tag(const HtmlToken& tag) {
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
    for (const LinkAttribute& rule : link_attributes) {
      if (rule.element != tag.name) continue;
      if (const HtmlAttributeValue* value = tag.attribute(rule.attribute)) add_links(tag, rule, *value);
    }
    if (const HtmlAttributeValue* alt = tag.name == "img" ? tag.attribute("alt") : nullptr) add_text(value_of(*alt));
    if (tag.name == "br" || tag.name == "li" || tag.name == "p" || tag.name == "td") add_text(" ");
  }

  void end_tag(std::string_view name) {
    if (name == "a") close_anchor();
    if (is_heading(name)) close_heading();
    if (is_verbatim(name) && verbatim_ > 0) --verbatim_;
  }

  void add_links(const HtmlToken& tag, const LinkAttribute& rule, const HtmlAttributeValue& value) {
    const Place place{value.offset, value.length};
    switch (rule.form) {
      case ValueForm::url: {
        add_link(trimmed(text_, place), rule.kind, name_of(tag));
        if (tag.name == "a") anchor_ = found_.links.size() - 1;
        break;
      }
      case ValueForm::srcset:
        for (const Place& url : srcset_urls(text_, place)) add_link(url, rule.kind, name_of(tag));
        break;
      case ValueForm::refresh: {
        const HtmlAttributeValue* equivalent = tag.attribute("http-equiv");
        if (equivalent == nullptr || !equals_ignoring_case(trim_ascii(value_of(*equivalent)), "refresh")) break;
        if (const std::optional<Place> url = refresh_url(text_, place)) add_link(*url, rule.kind, {});
        break;
      }
    }
  }

  void add_anchors(const HtmlToken& tag) {
    if (const HtmlAttributeValue* id = tag.attribute("id")) found_.anchors.push_back(value_of(*id));
    const HtmlAttributeValue* name = tag.name == "a" ? tag.attribute("name") : nullptr;
    if (name != nullptr) found_.anchors.push_back(value_of(*name));
  }

  void add_link(Place place, LinkElement kind, std::string name) {
    found_.links.push_back({place.offset, place.length, kind,
                            decode_attribute_value(text_.substr(place.offset, place.length)), std::move(name), false});
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

  void running_text(Place place) {
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
  FoundLinks found_;
  std::optional<std::size_t> anchor_;  // the link whose text is being read
  std::string anchor_text_;
  bool in_heading_ = false;
  std::string heading_text_;
  std::size_t verbatim_ = 0;  // how many such elements are open
};

}  // namespace

FoundLinks read_html_list(std::string_view text, bool include_verbatim) {
  return HtmlReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
