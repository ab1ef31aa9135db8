#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/html/html_tokenizer.h"
#include "parser/lists/character_references.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/list_text.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_xml_attributes = 64;  // per tag
constexpr std::size_t max_xml_name_bytes = 64;

// Feed elements whose text is escaped HTML.
constexpr std::array<std::string_view, 5> html_elements{"description", "encoded", "content", "summary", "body"};
// Elements whose text is a URL.
constexpr std::array<std::string_view, 11> url_elements{"comments", "docs",       "logo",          "icon",
                                                        "guid",     "player_loc", "thumbnail_loc", "content_loc",
                                                        "origlink", "commentrss", "xmlurl"};
// Feeds, whose only entries are their items.
constexpr std::array<std::string_view, 3> feed_roots{"rss", "feed", "rdf"};
constexpr std::array<std::string_view, 2> feed_items{"item", "entry"};
// Identifiers, not URLs of pages: namespaces, schemas.
constexpr std::array<std::string_view, 5> identifying_attributes{"schemalocation", "nonamespaceschemalocation", "about",
                                                                 "rdf:about", "scheme"};
// Likewise the texts of these elements of Dublin Core.
constexpr std::array<std::string_view, 4> identifying_elements{"dc:type", "dcterms:type", "dcterms:conformsto",
                                                               "dcterms:format"};

std::string local_name(std::string_view name) {
  return to_ascii_lower(name.substr(name.rfind(':') + 1).substr(0, max_xml_name_bytes));
}

class XmlReader {
 public:
  XmlReader(std::string_view list, bool include_verbatim)
      : list_(list), include_verbatim_(include_verbatim), records_(found_) {}

  FoundLinks read() {
    // No tree, no external entities, and only the predefined and numeric entities: nothing can expand.
    HtmlTokenizer tokens(list_, HtmlTokenizer::Unclosed::as_markup, max_xml_attributes, HtmlTokenizer::Syntax::xml);
    while (const HtmlToken* token = tokens.next()) {
      const TextRange place = place_of(token->source);
      switch (token->kind) {
        case HtmlToken::Kind::start_tag: start_tag(*token); break;
        case HtmlToken::Kind::end_tag: end_tag(place.offset); break;
        case HtmlToken::Kind::text: {
          const std::size_t stray = list_[place.offset] == '<' ? 1 : 0;
          unescape_xml(list_, {place.offset + stray, place.length - stray}, value_);
          break;
        }
        case HtmlToken::Kind::cdata: value_.copy(list_, inside(place, "<![CDATA[", "]]>")); break;
        case HtmlToken::Kind::comment: note_comment(list_, place, found_); break;
        case HtmlToken::Kind::doctype: break;
      }
    }
    finish_text();
    while (records_.any_open()) records_.close();
    records_.finish();
    return std::move(found_);
  }

 private:
  TextRange place_of(std::string_view part) const {
    return {static_cast<std::size_t>(part.data() - list_.data()), part.size()};
  }
  static TextRange inside(TextRange place, std::string_view opening, std::string_view closing) {
    return {place.offset + opening.size(), place.length - opening.size() - closing.size()};
  }

  void start_tag(const HtmlToken& tag) {
    finish_text();
    element_ = local_name(tag.name);
    is_identifier_ =
        element_ == "id" || is_one_of(identifying_elements, to_ascii_lower(tag.name.substr(0, max_xml_name_bytes)));
    records_.open();
    if (is_root_) is_feed_ = is_one_of(feed_roots, element_);
    if (std::exchange(is_root_, false) && is_feed_) records_.claimed_only();
    if (is_one_of(feed_items, element_)) records_.claim();
    is_folder_.push_back(false);
    const std::size_t first = found_.links.size();
    std::string rel;
    for (const HtmlAttribute& attribute : tag.attributes) read_attribute(tag, attribute, rel);
    // Of the attributes of a feed, only <link> names the page of an item.
    const bool is_page = !is_feed_ || (element_ == "link" && (rel.empty() || rel == "alternate"));
    for (std::size_t i = first; i < found_.links.size(); ++i) {
      found_.links[i].rel = rel;
      found_.links[i].context.is_named = found_.links[i].context.is_named && is_page;
    }
    if (element_ == "outline" && found_.links.size() == first) add_folder(tag);
    if (element_ == "folder") open_folder();
    if (tag.self_closing) close_element(place_of(tag.source).offset);
  }

  void close_element(std::size_t offset) {
    records_.close();
    element_.clear();
    if (is_folder_.empty()) return;
    if (is_folder_.back()) found_.headings.push_back({offset, {}, level_of_folder(folders_--)});
    is_folder_.pop_back();
  }

  void end_tag(std::size_t offset) {
    const std::string text = element_ == "title" || element_ == "name" ? value_.text() : std::string();
    const bool title = !text.empty();
    const bool is_of_folder = title && is_folder_.size() > 1 && is_folder_[is_folder_.size() - 2];
    if (is_of_folder) name_folder(offset, text);
    finish_text();
    close_element(offset);
    if (title) records_.set_title(text);
  }

  void read_attribute(const HtmlToken& tag, const HtmlAttribute& attribute, std::string& rel) {
    const std::string name = to_ascii_lower(attribute.name.substr(0, max_xml_name_bytes));
    if (name.starts_with("xmlns") || is_one_of(identifying_attributes, local_name(name))) return;
    MappedText value;
    unescape_xml(list_, place_of(attribute.value), value);
    if (name == "rel") rel = value.text().substr(0, max_xml_name_bytes);
    if (name == "ispermalink" && value.text() == "false") is_identifier_ = true;
    if (name == "xml:base") {
      if (found_.base.empty()) found_.base = value.text();
      return;
    }
    records_.add_fact(name, value.text());
    const ValueRole role = role_of(name);
    // In OPML the attribute "text" of an outline takes precedence over its title.
    if (role == ValueRole::title) records_.set_title(value.text());
    if (role == ValueRole::title && tag.name == "outline") return;
    add_value_links(value, role, found_);
  }

  static std::size_t level_of_folder(std::size_t depth) { return std::min(depth, max_heading_level); }

  // An OPML outline without a URL is a folder.
  void add_folder(const HtmlToken& tag) {
    for (const HtmlAttribute& attribute : tag.attributes) {
      if (attribute.name != "text" && attribute.name != "title") continue;
      MappedText value;
      unescape_xml(list_, place_of(attribute.value), value);
      open_folder();
      name_folder(place_of(tag.source).offset, value.text());
      return;
    }
  }

  // XBEL's <folder> has its name in the element <title>.
  void open_folder() {
    ++folders_;
    is_folder_.back() = true;
  }
  void name_folder(std::size_t offset, std::string_view name) {
    found_.headings.push_back({offset, collapse_space(name, max_heading_bytes), level_of_folder(folders_)});
  }

  // Ends the text of the innermost open element, or the part of it before the next tag.
  void finish_text() {
    if (value_.empty()) return;
    records_.see_new();
    if (is_one_of(html_elements, element_) && value_.text().find('<') != std::string::npos) {
      const std::size_t first = found_.links.size();
      add_mapped(found_, read_html_fragment(value_.text(), include_verbatim_), value_);
      for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].context.is_embedded = true;
    } else if (!is_identifier_) {
      const ValueRole role = is_one_of(url_elements, element_) ? ValueRole::url : role_of(element_);
      add_value_links(value_, role == ValueRole::title ? ValueRole::any : role, found_);
    }
    records_.see_new_of_field();
    value_.clear();
  }

  std::string_view list_;
  bool include_verbatim_;
  FoundLinks found_;
  DataRecords records_;
  std::string element_;  // the last opened element, until it or another one closes
  bool is_identifier_ = false;
  bool is_root_ = true;  // the next element is the root
  bool is_feed_ = false;
  std::vector<bool> is_folder_;  // of the open elements
  std::size_t folders_ = 0;      // number of open folders
  MappedText value_;
};

}  // namespace

FoundLinks read_xml_list(std::string_view text, bool include_verbatim) {
  return XmlReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
