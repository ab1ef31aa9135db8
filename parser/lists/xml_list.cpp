#include "parser/lists/xml_list.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/data_values.h"
#include "parser/lists/html_list.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/list_text.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/xml_tokenizer.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_name_bytes = 64;

// Elements of feeds whose text is HTML that was escaped.
constexpr std::array<std::string_view, 5> html_elements{"description", "encoded", "content", "summary", "body"};
// Elements whose text is a URL.
constexpr std::array<std::string_view, 11> url_elements{"comments", "docs",       "logo",          "icon",
                                                        "guid",     "player_loc", "thumbnail_loc", "content_loc",
                                                        "origlink", "commentrss", "xmlurl"};
// Names, not addresses: namespaces, schemas, identifiers.
constexpr std::array<std::string_view, 4> identifying_attributes{"schemalocation", "nonamespaceschemalocation", "about",
                                                                 "rdf:about"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string local_name(std::string_view name) {
  return to_ascii_lower(name.substr(name.rfind(':') + 1).substr(0, max_name_bytes));
}

class XmlReader {
 public:
  XmlReader(std::string_view list, bool include_verbatim)
      : list_(list), include_verbatim_(include_verbatim), titles_(found_) {}

  FoundLinks read() {
    XmlTokenizer tokens(list_);
    while (const XmlToken* token = tokens.next()) {
      switch (token->kind) {
        case XmlToken::Kind::start_tag: start_tag(*token); break;
        case XmlToken::Kind::end_tag: end_tag(); break;
        case XmlToken::Kind::text: unescape_xml(list_, token->range, value_); break;
        case XmlToken::Kind::cdata: value_.copy(list_, token->range); break;
        case XmlToken::Kind::comment: note_comment(list_, token->range, found_); break;
      }
    }
    finish_text();
    while (titles_.any_open()) titles_.close();
    return std::move(found_);
  }

 private:
  void start_tag(const XmlToken& tag) {
    finish_text();
    element_ = local_name(tag.name);
    is_identifier_ = element_ == "id";
    titles_.open();
    const std::size_t first = found_.links.size();
    std::string rel;
    for (const XmlAttribute& attribute : tag.attributes) read_attribute(tag, attribute, rel);
    for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].rel = rel;
    if (element_ == "outline" && found_.links.size() == first) add_outline_heading(tag);
    if (!tag.empty_element) return;
    titles_.close();
    element_.clear();
  }

  void end_tag() {
    const std::string text = element_ == "title" || element_ == "name" ? value_.text() : std::string();
    const bool title = !text.empty();
    finish_text();
    titles_.close();
    if (title) titles_.set_title(text);
    element_.clear();
  }

  void read_attribute(const XmlToken& tag, const XmlAttribute& attribute, std::string& rel) {
    const std::string name = to_ascii_lower(attribute.name.substr(0, max_name_bytes));
    if (name.starts_with("xmlns") || contains(identifying_attributes, local_name(name))) return;
    MappedText value;
    unescape_xml(list_, attribute.value, value);
    if (name == "rel") rel = value.text().substr(0, max_name_bytes);
    if (name == "ispermalink" && value.text() == "false") is_identifier_ = true;
    if (name == "xml:base") {
      if (found_.base.empty()) found_.base = value.text();
      return;
    }
    const ValueRole role = role_of(name);
    // OPML: an outline's own text comes before its title.
    if (role == ValueRole::title) titles_.set_title(value.text());
    if (role == ValueRole::title && tag.name == "outline") return;
    add_value_links(value, role, found_);
  }

  // An outline without an address is a folder.
  void add_outline_heading(const XmlToken& tag) {
    for (const XmlAttribute& attribute : tag.attributes) {
      if (attribute.name != "text" && attribute.name != "title") continue;
      MappedText value;
      unescape_xml(list_, attribute.value, value);
      found_.headings.push_back({tag.range.offset, collapse_space(value.text(), max_heading_bytes)});
      return;
    }
  }

  // The text of the element that is open innermost, or what of it stands in front of the next tag.
  void finish_text() {
    if (value_.empty()) return;
    if (contains(html_elements, element_) && value_.text().find('<') != std::string::npos) {
      add_mapped(found_, read_html_list(value_.text(), include_verbatim_), value_);
    } else if (!is_identifier_) {
      const bool is_url = contains(url_elements, element_) || role_of(element_) == ValueRole::url;
      add_value_links(value_, is_url ? ValueRole::url : ValueRole::any, found_);
    }
    value_.clear();
  }

  std::string_view list_;
  bool include_verbatim_;
  FoundLinks found_;
  EntryTitles titles_;
  std::string element_;  // the one that was opened last, until it or another closes
  bool is_identifier_ = false;
  MappedText value_;
};

}  // namespace

FoundLinks read_xml_list(std::string_view text, bool include_verbatim) {
  return XmlReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
