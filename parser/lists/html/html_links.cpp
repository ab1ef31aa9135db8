#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/html/html_tokenizer.h"
#include "parser/html/page_redirect.h"
#include "parser/lists/character_references.h"
#include "parser/lists/entry_tracker.h"
#include "parser/lists/found_link.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

// Tracks open elements with the attribute `data-proofer-ignore`, whose links are ignored.
class HtmlIgnored {
 public:
  void start_tag(const HtmlToken& tag);
  void end_tag(std::string_view name);

  // Returns the name of the attribute if it applies to the current position, or else null.
  const char* by() const;

 private:
  std::string element_;     // name of the outermost element with the attribute, or empty
  std::size_t depth_ = 0;   // number of open elements with the same name since then
  bool only_this_ = false;  // the current element is void and has the attribute
};

constexpr const char* ignore_attribute = "data-proofer-ignore";

// Void elements, and elements that are closed by the next element with the same name.
constexpr std::array<std::string_view, 14> void_elements{"area",  "base", "br",   "col",    "embed", "hr",  "img",
                                                         "input", "link", "meta", "source", "track", "wbr", "param"};
constexpr std::array<std::string_view, 5> self_ending{"p", "dt", "dd", "option", "a"};

void HtmlIgnored::start_tag(const HtmlToken& tag) {
  const bool has = tag.attribute(ignore_attribute) != nullptr;
  if (!has && element_.empty()) {  // the most common case
    only_this_ = false;
    return;
  }
  const bool is_void = is_one_of(void_elements, tag.name);
  only_this_ = has && is_void;
  if (is_void) return;
  if (tag.name == element_) {
    if (is_one_of(self_ending, tag.name)) {
      if (!has) element_.clear();
    } else {
      ++depth_;
    }
  } else if (element_.empty() && has) {
    element_ = tag.name;
    depth_ = 1;
  }
}

void HtmlIgnored::end_tag(std::string_view name) {
  only_this_ = false;
  if (name == element_ && --depth_ == 0) element_.clear();
}

const char* HtmlIgnored::by() const { return only_this_ || !element_.empty() ? ignore_attribute : nullptr; }

// The HTML attributes that hold URLs, and the syntax of their values.

constexpr std::size_t max_rel_bytes = 100;

enum class ValueForm : std::uint8_t {
  url,
  urls,     // separated by spaces
  srcset,   // "a.png 1x, b.png 2x"
  refresh,  // "5; url=…"
  page,     // an HTML page, escaped once
};

struct LinkAttribute {
  std::string_view element;
  std::string_view attribute;
  LinkElement kind;
  ValueForm form = ValueForm::url;
};

constexpr std::array<LinkAttribute, 45> link_attributes{
    {{"a", "href", LinkElement::link},
     {"a", "xlink:href", LinkElement::link},
     {"a", "ping", LinkElement::resource, ValueForm::urls},
     {"area", "href", LinkElement::link},
     {"area", "ping", LinkElement::resource, ValueForm::urls},
     {"img", "src", LinkElement::image},
     {"img", "srcset", LinkElement::image, ValueForm::srcset},
     {"img", "longdesc", LinkElement::link},
     {"source", "src", LinkElement::resource},
     {"source", "srcset", LinkElement::image, ValueForm::srcset},
     {"link", "href", LinkElement::resource},
     {"link", "imagesrcset", LinkElement::image, ValueForm::srcset},
     {"link", "to", LinkElement::link},  // React; the next three are from Vue, Nuxt and React
     {"router-link", "to", LinkElement::link},
     {"nuxt-link", "to", LinkElement::link},
     {"navlink", "to", LinkElement::link},
     {"script", "src", LinkElement::resource},
     {"iframe", "src", LinkElement::resource},
     {"iframe", "srcdoc", LinkElement::resource, ValueForm::page},
     {"frame", "src", LinkElement::resource},
     {"frame", "longdesc", LinkElement::link},
     {"video", "src", LinkElement::resource},
     {"video", "poster", LinkElement::image},
     {"audio", "src", LinkElement::resource},
     {"track", "src", LinkElement::resource},
     {"embed", "src", LinkElement::resource},
     {"object", "data", LinkElement::resource},
     {"applet", "code", LinkElement::resource},
     {"image", "href", LinkElement::image},
     {"image", "xlink:href", LinkElement::image},
     {"use", "href", LinkElement::resource},
     {"use", "xlink:href", LinkElement::resource},
     {"input", "src", LinkElement::image},
     {"input", "formaction", LinkElement::form},
     {"button", "formaction", LinkElement::form},
     {"form", "action", LinkElement::form},
     {"blockquote", "cite", LinkElement::link},
     {"q", "cite", LinkElement::link},
     {"del", "cite", LinkElement::link},
     {"ins", "cite", LinkElement::link},
     {"body", "background", LinkElement::image},
     {"table", "background", LinkElement::image},
     {"td", "background", LinkElement::image},
     {"html", "manifest", LinkElement::resource},
     {"meta", "content", LinkElement::refresh, ValueForm::refresh}}};

TextRange trimmed(std::string_view text, TextRange range) {
  const std::string_view whole = text.substr(range.offset, range.length);
  const std::string_view inside = trim_ascii(whole);
  return {range.offset + static_cast<std::size_t>(inside.data() - whole.data()), inside.size()};
}

constexpr std::size_t max_urls_of_attribute = 1000;  // further URLs are ignored

// Calls `visit` with the ranges of the URLs in a srcset such as "a.png 1x, b.png 2x", by the rules of the HTML
// Standard.
template <class Visit>
void for_each_srcset_url(std::string_view text, TextRange range, Visit visit) {
  const std::size_t end = range.offset + range.length;
  std::size_t at = range.offset;
  for (std::size_t count = 0; count < max_urls_of_attribute; ++count) {
    while (at < end && (is_ascii_space(text[at]) || text[at] == ',')) ++at;
    if (at >= end) return;
    const std::size_t start = at;
    while (at < end && !is_ascii_space(text[at])) ++at;
    std::size_t last = at;
    while (last > start && text[last - 1] == ',') --last;
    visit(TextRange{start, last - start});
    if (last != at) continue;  // a comma ended the URL, so no descriptor follows
    for (int depth = 0; at < end && (depth > 0 || text[at] != ','); ++at) {
      if (text[at] == '(') ++depth;
      if (text[at] == ')') depth = std::max(0, depth - 1);
    }
  }
}

// Returns the range of the URL in "5; url='https://…'", or nullopt if there is only a delay.
std::optional<TextRange> refresh_url(std::string_view text, TextRange range) {
  const std::string_view value = text.substr(range.offset, range.length);
  const std::optional<RefreshValue> refresh = read_refresh(value);
  if (!refresh) return std::nullopt;
  return TextRange{range.offset + static_cast<std::size_t>(refresh->address.data() - value.data()),
                   refresh->address.size()};
}

// Calls `visit` with the ranges of URLs that are separated by spaces.
template <class Visit>
void for_each_separated_url(std::string_view text, TextRange range, Visit visit) {
  const std::size_t end = range.offset + range.length;
  std::size_t count = 0;
  for (std::size_t at = range.offset; at < end && count < max_urls_of_attribute; ++count) {
    while (at < end && is_ascii_space(text[at])) ++at;
    const std::size_t start = at;
    while (at < end && !is_ascii_space(text[at])) ++at;
    if (at > start) visit(TextRange{start, at - start});
  }
}

// MDX components and custom elements use the same attribute names as HTML elements.
constexpr std::array<LinkAttribute, 2> attributes_of_unknown_elements{
    {{"", "href", LinkElement::link}, {"", "src", LinkElement::resource}}};

// Relations whose target is not a page: hosts to connect to, identifiers, and URLs that only accept POST.
constexpr std::array<std::string_view, 4> relations_without_page{"preconnect", "dns-prefetch", "profile", "pingback"};

bool has_page(std::string_view relations) {
  const std::string lower = to_ascii_lower(relations.substr(0, max_rel_bytes));
  std::string_view rest = trim_ascii(lower);
  if (rest.starts_with("schema.")) return false;  // the target is a vocabulary
  for (; !rest.empty(); rest = trim_ascii(rest)) {
    const auto end = std::ranges::find_if(rest, is_ascii_space);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (is_one_of(relations_without_page, word)) return false;
    rest.remove_prefix(word.size());
  }
  return true;
}

// Finds the rules for an element. They are indexed by gumbo's tag numbers, but gumbo does not know all elements with
// links.
class LinkAttributesOfElements {
 public:
  LinkAttributesOfElements() {
    for (const LinkAttribute& rule : link_attributes) {
      const auto length = static_cast<unsigned>(rule.element.size());
      const GumboTag id = gumbo_tagn_enum(rule.element.data(), length);
      of_[id].push_back(rule);
    }
  }
  const std::vector<LinkAttribute>& of(const HtmlToken& tag) const { return of_[tag.id]; }

 private:
  std::array<std::vector<LinkAttribute>, GUMBO_TAG_LAST + 1> of_;
};

const std::vector<LinkAttribute>& link_attributes_of(const HtmlToken& tag) {
  static const LinkAttributesOfElements elements;
  return elements.of(tag);
}

// A set of elements that gumbo knows. Comparing the name of a tag with each name would take longer than reading the
// tag.
class ElementSet {
 public:
  constexpr ElementSet(std::initializer_list<GumboTag> elements) {
    for (const GumboTag element : elements) has_[element] = true;
  }
  constexpr bool has(GumboTag element) const { return has_[element]; }

 private:
  std::array<bool, GUMBO_TAG_LAST + 1> has_{};
};

constexpr ElementSet heading_elements{GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3,
                                      GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6};

constexpr ElementSet raw_elements{GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE,  GUMBO_TAG_TEXTAREA, GUMBO_TAG_TITLE,
                                  GUMBO_TAG_XMP,    GUMBO_TAG_IFRAME, GUMBO_TAG_NOEMBED,  GUMBO_TAG_NOFRAMES};
constexpr std::size_t max_attributes = 1000;  // per tag

// Elements whose content is shown verbatim.
constexpr ElementSet verbatim_elements{GUMBO_TAG_PRE, GUMBO_TAG_CODE, GUMBO_TAG_SAMP, GUMBO_TAG_KBD};

// Elements that end a phrase, such as blocks, cells and line breaks.
constexpr ElementSet block_elements{GUMBO_TAG_P,  GUMBO_TAG_DIV,        GUMBO_TAG_BR,      GUMBO_TAG_TD,
                                    GUMBO_TAG_TH, GUMBO_TAG_DD,         GUMBO_TAG_HR,      GUMBO_TAG_PRE,
                                    GUMBO_TAG_UL, GUMBO_TAG_SECTION,    GUMBO_TAG_ARTICLE, GUMBO_TAG_TABLE,
                                    GUMBO_TAG_OL, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_DL};
// Elements whose end tag makes the text before it a label.
constexpr ElementSet label_elements{GUMBO_TAG_B, GUMBO_TAG_STRONG, GUMBO_TAG_EM,
                                    GUMBO_TAG_I, GUMBO_TAG_CODE,   GUMBO_TAG_SPAN};

// Elements that add a space to the text before their content.
constexpr ElementSet spaced_elements{GUMBO_TAG_BR, GUMBO_TAG_LI, GUMBO_TAG_P, GUMBO_TAG_TD};

void add_anchors(const HtmlToken& tag, std::vector<std::string>& anchors) {
  if (const HtmlAttribute* id = tag.attribute("id")) anchors.push_back(decode_attribute_value(id->value));
  const HtmlAttribute* name = tag.id == GUMBO_TAG_A ? tag.attribute("name") : nullptr;
  if (name != nullptr) anchors.push_back(decode_attribute_value(name->value));
}

// Tracks the entries of HTML: li, tr, and dt with the following dd. Their end tags are optional, and each belongs to
// the innermost list or table.
class HtmlEntries {
 public:
  explicit HtmlEntries(EntryTracker& entries) : entries_(entries) {}

  void start_tag(GumboTag element) {
    if (const std::optional<Kind> container = container_of(element)) {
      push(*container);
      if (*container == Kind::prose) entries_.open_prose();
    } else if (const std::optional<Kind> item = item_of(element)) {
      const bool continues = element == GUMBO_TAG_DD && !open_.empty() && open_.back() == Kind::definition;
      if (continues) return;
      end_items(*item);
      push(*item);
      entries_.open();
    }
  }

  void end_tag(GumboTag element) {
    if (const std::optional<Kind> container = container_of(element)) {
      while (number(*container) > 0 && pop() != *container) {
      }
    } else if (element == GUMBO_TAG_LI || element == GUMBO_TAG_TR) {
      end_items(*item_of(element));
    }
  }

  // Returns the number of open definition lists. In bookmark files this is the depth of a folder.
  std::size_t definition_lists() const { return numbers_[static_cast<std::size_t>(Kind::definitions)]; }

 private:
  enum class Kind : std::uint8_t { list, table, definitions, prose, item, row, definition };

  static std::optional<Kind> container_of(GumboTag element) {
    switch (element) {
      case GUMBO_TAG_UL:
      case GUMBO_TAG_OL:
      case GUMBO_TAG_MENU: return Kind::list;
      case GUMBO_TAG_TABLE: return Kind::table;
      case GUMBO_TAG_DL: return Kind::definitions;
      case GUMBO_TAG_NAV:
      case GUMBO_TAG_FOOTER: return Kind::prose;
      default: return std::nullopt;
    }
  }
  static std::optional<Kind> item_of(GumboTag element) {
    switch (element) {
      case GUMBO_TAG_LI: return Kind::item;
      case GUMBO_TAG_TR: return Kind::row;
      case GUMBO_TAG_DT:
      case GUMBO_TAG_DD: return Kind::definition;
      default: return std::nullopt;
    }
  }
  static bool is_item(Kind kind) { return kind == Kind::item || kind == Kind::row || kind == Kind::definition; }

  std::size_t& number(Kind kind) { return numbers_[static_cast<std::size_t>(kind)]; }
  void push(Kind kind) {
    open_.push_back(kind);
    ++number(kind);
  }
  Kind pop() {
    const Kind kind = open_.back();
    open_.pop_back();
    --number(kind);
    if (is_item(kind) || kind == Kind::prose) entries_.close();
    return kind;
  }
  // Ends the open item of this kind and everything in it, but never the list around it.
  void end_items(Kind kind) {
    if (number(kind) == 0) return;
    const auto outer = std::find_if(open_.rbegin(), open_.rend(), [](Kind each) { return !is_item(each); });
    const auto own = std::find(open_.rbegin(), outer, kind);
    if (own == outer) return;
    for (auto left = own - open_.rbegin() + 1; left > 0; --left) pop();
  }

  EntryTracker& entries_;
  std::vector<Kind> open_;
  std::array<std::size_t, 7> numbers_{};  // number of open elements of each kind
};

// The context of HTML. A fragment is part of a document in another format. An inner page is the value of an attribute;
// its own nested pages are not read.
enum class HtmlPart : std::uint8_t { page, bookmarks, fragment, inner };

class HtmlReader {
 public:
  HtmlReader(std::string_view text, bool include_verbatim, HtmlPart part, bool entries = true)
      : text_(text),
        include_verbatim_(include_verbatim),
        part_(part),
        has_entries_(entries),
        entries_(found_),
        items_(entries_) {
    if (!has_entries_) entries_.open_prose();
  }

  FoundLinks read() {
    // An unclosed comment or raw text element would hide all links after it.
    HtmlTokenizer tokens(text_, HtmlTokenizer::Unclosed::as_markup, max_attributes);
    while (const HtmlToken* token = tokens.next()) {
      switch (token->kind) {
        case HtmlToken::Kind::start_tag:
          start_tag(*token);
          if (raw_elements.has(token->id)) raw_text(*token, tokens.raw_text());
          break;
        case HtmlToken::Kind::end_tag: end_tag(*token); break;
        case HtmlToken::Kind::text: running_text(token->source); break;
        case HtmlToken::Kind::comment: add_ignore_comment(text_, range_of(token->source), found_); break;
        case HtmlToken::Kind::cdata:
        case HtmlToken::Kind::doctype: break;
      }
    }
    close_anchor();
    close_heading();
    return std::move(found_);
  }

 private:
  void start_tag(const HtmlToken& tag) {
    ignored_.start_tag(tag);
    if (tag.id == GUMBO_TAG_A) close_anchor();  // links do not nest
    if (has_entries_ || tag.id == GUMBO_TAG_DL) items_.start_tag(tag.id);
    if (has_entries_ && block_elements.has(tag.id)) entries_.end_phrase();
    if (heading_elements.has(tag.id)) open_heading(tag);
    if (verbatim_elements.has(tag.id)) ++verbatim_;
    if (part_ != HtmlPart::inner) add_anchors(tag, found_.anchors);
    if (tag.id == GUMBO_TAG_BASE) {
      const HtmlAttribute* href = tag.attribute("href");
      if (href != nullptr && found_.base.empty()) found_.base = value_of(*href);
      return;
    }
    add_links(tag);
    if (tag.id == GUMBO_TAG_IMG) {
      anchor_has_image_ = true;
      if (const HtmlAttribute* alt = tag.attribute("alt")) add_text(value_of(*alt));
    }
    if (spaced_elements.has(tag.id)) add_text(" ");
  }

  void end_tag(const HtmlToken& tag) {
    ignored_.end_tag(tag.name);
    if (tag.id == GUMBO_TAG_A) close_anchor();
    if (heading_elements.has(tag.id)) close_heading();
    if (tag.id == GUMBO_TAG_FORM) form_posts_ = false;
    if (tag.id == GUMBO_TAG_DL && items_.definition_lists() > 0) end_folder(range_of(tag.source).offset);
    if (has_entries_ || tag.id == GUMBO_TAG_DL) items_.end_tag(tag.id);
    if (has_entries_ && block_elements.has(tag.id)) entries_.end_phrase();
    if (label_elements.has(tag.id)) entries_.end_label();
    if (verbatim_elements.has(tag.id) && verbatim_ > 0) --verbatim_;
  }

  void add_links(const HtmlToken& tag) {
    if (tag.id == GUMBO_TAG_FORM) form_posts_ = is_posted(tag, "method");
    if (tag.attributes.empty()) return;
    bool has_rule = tag.id != GUMBO_TAG_UNKNOWN;
    for (const LinkAttribute& rule : link_attributes_of(tag)) {
      if (tag.id == GUMBO_TAG_UNKNOWN && rule.element != tag.name) continue;
      has_rule = true;
      if (const HtmlAttribute* value = tag.attribute(rule.attribute)) add_links(tag, rule, *value);
    }
    if (!has_rule) {
      for (const LinkAttribute& rule : attributes_of_unknown_elements) {
        if (const HtmlAttribute* value = tag.attribute(rule.attribute)) add_links(tag, rule, *value);
      }
    }
    const HtmlAttribute* style = tag.attribute("style");
    if (style != nullptr && contains_ignoring_case(style->value, "url(")) {
      MappedText css;
      unescape_xml(text_, range_of(style->value), css);
      add_css(css);
    }
  }

  // Returns true if the attribute of a form says that it is not sent by GET. Its URL must not be requested by GET.
  bool is_posted(const HtmlToken& tag, std::string_view attribute) {
    const HtmlAttribute* method = tag.attribute(attribute);
    return method != nullptr && !equals_ignoring_case(trim_ascii(value_of(*method)), "get");
  }
  bool is_posted(const HtmlToken& tag) {
    return tag.attribute("formmethod") != nullptr ? is_posted(tag, "formmethod") : form_posts_;
  }

  void add_css(const MappedText& css) {
    const std::size_t first = found_.links.size();
    add_css_links(css, found_);
    for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].ignored_by = ignored_.by();
  }

  void add_links(const HtmlToken& tag, const LinkAttribute& rule, const HtmlAttribute& value) {
    if (rule.kind == LinkElement::form && is_posted(tag)) return;
    const TextRange range = range_of(value.value);
    switch (rule.form) {
      case ValueForm::url: {
        const HtmlAttribute* rel = tag.attribute("rel");
        if (rel != nullptr && tag.id == GUMBO_TAG_LINK && !has_page(value_of(*rel))) break;
        const bool is_anchor = tag.id == GUMBO_TAG_A && rule.attribute == "href";
        add_link(trimmed(text_, range), rule.kind, is_anchor ? std::string() : shown(written_name_of(tag)));
        if (rel != nullptr) {
          found_.links.back().rel = collapse_space(value_of(*rel).substr(0, max_rel_bytes), max_rel_bytes);
        }
        if (is_anchor) {
          open_anchor(tag);
          if (part_ == HtmlPart::bookmarks) add_bookmark_info(tag, found_.links.back().offset);
        }
        break;
      }
      case ValueForm::urls:
        for_each_separated_url(text_, range, [&](TextRange url) { add_link(url, rule.kind, {}); });
        break;
      case ValueForm::page: add_page(range); break;
      case ValueForm::srcset:
        for_each_srcset_url(text_, range,
                            [&](TextRange url) { add_link(url, rule.kind, shown(written_name_of(tag))); });
        break;
      case ValueForm::refresh: {
        const HtmlAttribute* equivalent = tag.attribute("http-equiv");
        if (equivalent == nullptr || !equals_ignoring_case(trim_ascii(value_of(*equivalent)), "refresh")) break;
        if (const std::optional<TextRange> url = refresh_url(text_, range)) add_link(*url, rule.kind, {});
        break;
      }
    }
  }

  void add_bookmark_info(const HtmlToken& tag, std::size_t offset) {
    BookmarkInfo info;
    for (const HtmlAttribute& attribute : tag.attributes)
      add_bookmark_field(info, find_bookmark_field(attribute.name), value_of(attribute));
    if (!info.empty()) found_.bookmarks.push_back({offset, std::move(info)});
  }

  void add_link(TextRange range, LinkElement kind, const std::string& name) {
    const std::string_view written = text_.substr(range.offset, range.length);
    const std::string_view target = decoded(written);
    // The text of a fragment or an inner page may be destroyed before its links.
    const bool is_of_list = part_ == HtmlPart::page || part_ == HtmlPart::bookmarks;
    const bool is_as_written = is_of_list && target.data() == written.data();
    FoundLink& link = found_.links.emplace_back(range.offset, range.length, kind,
                                                is_as_written ? FoundText::borrowed(target) : FoundText(target), name);
    link.ignored_by = ignored_.by();
    entries_.add_resource(found_.links.size() - 1);
  }

  // Reads a page in an attribute value (srcdoc).
  void add_page(TextRange range) {
    if (part_ == HtmlPart::inner) return;
    MappedText page;
    unescape_xml(text_, range, page);
    add_mapped(found_, HtmlReader(page.text(), include_verbatim_, HtmlPart::inner).read(), page);
  }

  void raw_text(const HtmlToken& tag, std::optional<std::string_view> content) {
    const HtmlAttribute* type = tag.id == GUMBO_TAG_SCRIPT ? tag.attribute("type") : nullptr;
    const bool json_ld = type != nullptr && equals_ignoring_case(trim_ascii(value_of(*type)), "application/ld+json");
    if (json_ld && content) add_json_ld_links(text_, range_of(*content), found_);
    if (tag.id == GUMBO_TAG_STYLE && content) {
      MappedText css;
      css.copy(text_, range_of(*content));
      add_css(css);
    }
  }

  // Returns the decoded text, or `written` itself if it has no character reference, as most texts. The result is valid
  // until the next call.
  std::string_view decoded(std::string_view written) {
    if (written.find('&') == std::string_view::npos) return written;
    return decoded_ = decode_attribute_value(written);
  }
  std::string_view value_of(const HtmlAttribute& attribute) { return decoded(attribute.value); }
  std::string shown(std::string_view written_name) {
    return collapse_space(decoded(written_name), max_link_text_bytes);
  }

  TextRange range_of(std::string_view part) const {
    return {static_cast<std::size_t>(part.data() - text_.data()), part.size()};
  }

  // Returns the undecoded name of an element without a text of its own.
  static std::string_view written_name_of(const HtmlToken& tag) {
    constexpr std::array<std::string_view, 3> names{"alt", "aria-label", "title"};
    for (const std::string_view attribute : names) {
      if (const HtmlAttribute* value = tag.attribute(attribute); value != nullptr && !value->value.empty())
        return value->value;
    }
    return {};
  }

  void running_text(std::string_view words) {
    if (anchor_ || in_heading_) add_text(decoded(words.substr(0, 2 * max_link_text_bytes)));
    if (anchor_) anchor_has_words_ = anchor_has_words_ || !trim_ascii(words).empty();
    if (anchor_) return;
    if (verbatim_ > 0 && !include_verbatim_) return entries_.add_text(words);
    const bool may_have_urls = std::ranges::any_of(words, [](char c) { return c == ':' || c == '.'; });
    if (!may_have_urls) return entries_.add_text(words);
    BareUrlScanner scanner(words, BareUrlContext::markup);
    std::size_t from = 0;
    while (const std::optional<BareUrl> url = scanner.next()) {
      const std::string_view written = words.substr(url->offset, url->length);
      entries_.add_text(words.substr(from, url->offset - from));
      found_.links.emplace_back(range_of(written).offset, url->length, LinkElement::bare, decode_references(written),
                                title_before_url(decode_references(title_tail(words.substr(from, url->offset - from)))),
                                url->unbalanced_bracket);
      found_.links.back().ignored_by = ignored_.by();
      entries_.add_link(found_.links.size() - 1);
      from = url->offset + url->length;
    }
    entries_.add_text(words.substr(from));
  }

  void add_text(std::string_view words) {
    if (anchor_ && anchor_text_.size() < 2 * max_link_text_bytes) anchor_text_.append(words);
    if (in_heading_ && heading_text_.size() < 2 * max_heading_bytes) heading_text_.append(words);
  }

  void open_anchor(const HtmlToken& tag) {
    anchor_ = found_.links.size() - 1;
    anchor_name_ = written_name_of(tag);
    anchor_has_words_ = anchor_has_image_ = false;
  }

  void close_anchor() {
    if (!anchor_) return;
    std::string text = collapse_space(anchor_text_, max_link_text_bytes);
    found_.links[*anchor_].text = text.empty() ? shown(anchor_name_) : std::move(text);
    found_.links[*anchor_].context.is_badge = anchor_has_image_ && !anchor_has_words_;
    entries_.add_link(*anchor_);
    anchor_.reset();
    anchor_text_.clear();
  }

  // In bookmark files, folders are headings before nested definition lists. All these headings are the same element.
  void open_heading(const HtmlToken& tag) {
    close_heading();
    const std::size_t depth = items_.definition_lists();
    if (depth == 0) level_ = static_cast<std::size_t>(tag.name[1] - '0');
    has_folders_ = depth > 0;
    found_.headings.push_back({range_of(tag.source).offset, {}, std::min(level_ + depth, max_heading_level)});
    in_heading_ = true;
    entries_.open_heading();
  }

  // Ends a folder. Text after its list is neither below the headings in it nor below the heading of the folder.
  void end_folder(std::size_t offset) {
    close_heading();
    const std::size_t depth = items_.definition_lists();
    const std::size_t level = level_ + std::max<std::size_t>(depth, 2) - 1;
    if (has_folders_ && level < max_heading_level) found_.headings.push_back({offset, {}, level});
    has_folders_ = has_folders_ && depth > 1;
  }

  void close_heading() {
    if (!in_heading_) return;
    entries_.close_heading(part_ == HtmlPart::page || part_ == HtmlPart::bookmarks);
    found_.headings.back().text = collapse_space(heading_text_, max_heading_bytes);
    if (found_.headings.back().text.empty()) found_.headings.pop_back();
    in_heading_ = false;
    heading_text_.clear();
  }

  std::string_view text_;
  bool include_verbatim_;
  HtmlPart part_;
  bool has_entries_;  // if false, only definition lists are tracked, for the levels of headings
  HtmlIgnored ignored_;
  FoundLinks found_;
  EntryTracker entries_;
  HtmlEntries items_;
  std::optional<std::size_t> anchor_;  // the link whose text is being read
  std::string_view anchor_name_;       // used as the text of this link if it has no text
  std::string anchor_text_;
  bool anchor_has_words_ = false;
  bool anchor_has_image_ = false;
  bool in_heading_ = false;
  std::string heading_text_;
  std::size_t level_ = 0;     // level of the last heading outside of definition lists
  bool has_folders_ = false;  // the open definition lists contain headings
  std::size_t verbatim_ = 0;  // number of open verbatim elements
  bool form_posts_ = false;   // the open form is sent by POST or is not sent at all
  std::string decoded_;       // see decoded()
};

}  // namespace

FoundLinks read_html_links(std::string_view text, bool include_verbatim, bool entries) {
  return HtmlReader(text, include_verbatim, HtmlPart::page, entries).read();
}

FoundLinks read_bookmarks(std::string_view text, bool include_verbatim) {
  return HtmlReader(text, include_verbatim, HtmlPart::bookmarks).read();
}

FoundLinks read_html_fragment(std::string_view text, bool include_verbatim) {
  return HtmlReader(text, include_verbatim, HtmlPart::fragment).read();
}

std::vector<std::string> read_html_anchors(std::string_view text) {
  std::vector<std::string> anchors;
  HtmlTokenizer tokens(text, HtmlTokenizer::Unclosed::as_markup, max_attributes);
  while (const HtmlToken* token = tokens.next()) {
    if (token->kind != HtmlToken::Kind::start_tag) continue;
    add_anchors(*token, anchors);
    if (raw_elements.has(token->id)) tokens.raw_text();
  }
  return anchors;
}

}  // namespace linkherd::parser
