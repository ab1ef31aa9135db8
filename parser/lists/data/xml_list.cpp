#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/character_references.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/list_text.h"

namespace linkherd::parser {
namespace {

// XML's tags and texts with their places; no tree, no external entities, no entities of its own but the five and the
// numeric ones, so that nothing in it grows. Linear, and lenient: a mistake costs only the tag it stands in.
struct XmlAttribute {
  std::string_view name;  // as written, with its prefix
  TextRange value;        // without quotes
};

struct XmlToken {
  enum class Kind : std::uint8_t { start_tag, end_tag, text, cdata, comment };
  Kind kind = Kind::text;
  TextRange range;                       // of the whole; of CDATA only what is inside
  std::string_view name;                 // of a tag, as written, with its prefix
  std::vector<XmlAttribute> attributes;  // of a start tag; no more than 64
  bool empty_element = false;            // "<a/>"
};

class XmlTokenizer {
 public:
  explicit XmlTokenizer(std::string_view text) : text_(text) {}

  // The next token; declarations and instructions are none. The pointer is valid until the next call.
  const XmlToken* next();

 private:
  bool read_markup();
  bool read_tag(bool end_tag);
  void read_attribute();
  void skip_declaration();
  bool read_until(std::string_view opening, std::string_view closing, XmlToken::Kind kind, bool& gone);

  std::string_view text_;
  std::size_t at_ = 0;
  XmlToken token_;
  bool comment_end_gone_ = false;
  bool cdata_end_gone_ = false;
};

constexpr std::size_t max_attributes = 64;

constexpr bool ends_name(char c) { return is_ascii_space(c) || c == '/' || c == '>' || c == '=' || c == '<'; }

const XmlToken* XmlTokenizer::next() {
  while (at_ < text_.size()) {
    token_.attributes.clear();
    token_.name = {};
    token_.empty_element = false;
    token_.range = {at_, 0};
    if (text_[at_] != '<') {
      const std::size_t start = at_;
      at_ = std::min(text_.find('<', at_), text_.size());
      token_.kind = XmlToken::Kind::text;
      token_.range = {start, at_ - start};
      return &token_;
    }
    if (read_markup()) return &token_;
  }
  return nullptr;
}

// At "<". False where no token came of it.
bool XmlTokenizer::read_markup() {
  const std::string_view rest = text_.substr(at_, 9);
  if (rest.starts_with("<!--")) return read_until("<!--", "-->", XmlToken::Kind::comment, comment_end_gone_);
  if (rest == "<![CDATA[") return read_until(rest, "]]>", XmlToken::Kind::cdata, cdata_end_gone_);
  if (rest.starts_with("<!") || rest.starts_with("<?")) {
    skip_declaration();
    return false;
  }
  if (rest.starts_with("</")) return read_tag(true);
  if (rest.size() > 1 && !ends_name(rest[1])) return read_tag(false);
  ++at_;
  return false;
}

bool XmlTokenizer::read_until(std::string_view opening, std::string_view closing, XmlToken::Kind kind, bool& gone) {
  const std::size_t start = at_ + opening.size();
  const std::size_t end = gone ? std::string_view::npos : text_.find(closing, start);
  gone = end == std::string_view::npos;
  if (gone) {  // what never ends would hide all behind it
    at_ = std::min(start, text_.size());
    return false;
  }
  token_.kind = kind;
  token_.range = {start, end - start};
  at_ = end + closing.size();
  return true;
}

// "<!DOCTYPE … [ … ]>": to the ">" outside of the brackets; "<?…?>".
void XmlTokenizer::skip_declaration() {
  bool inside = false;
  for (at_ += 2; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c == '>' && !inside) {
      ++at_;
      return;
    }
  }
}

bool XmlTokenizer::read_tag(bool end_tag) {
  const std::size_t tag = at_;
  at_ += end_tag ? 2 : 1;
  const std::size_t start = at_;
  while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
  token_.name = text_.substr(start, at_ - start);
  token_.kind = end_tag ? XmlToken::Kind::end_tag : XmlToken::Kind::start_tag;
  while (at_ < text_.size() && text_[at_] != '>' && text_[at_] != '<') {
    token_.empty_element = text_[at_] == '/';
    if (is_ascii_space(text_[at_]) || text_[at_] == '/') {
      ++at_;
    } else {
      read_attribute();
    }
  }
  if (at_ < text_.size() && text_[at_] == '>') ++at_;
  token_.range = {tag, at_ - tag};
  return true;
}

void XmlTokenizer::read_attribute() {
  const auto skip_spaces = [&] {
    while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
  };
  const std::size_t start = at_++;
  while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
  const std::string_view name = text_.substr(start, at_ - start);
  skip_spaces();
  if (at_ >= text_.size() || text_[at_] != '=') return;
  ++at_;
  skip_spaces();
  TextRange value{at_, 0};
  if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
    const char quote = text_[at_++];
    value.offset = at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '<') ++at_;  // no value holds "<"
    value.length = at_ - value.offset;
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  } else {
    while (at_ < text_.size() && !is_ascii_space(text_[at_]) && text_[at_] != '>' && text_[at_] != '<') ++at_;
    value.length = at_ - value.offset;
  }
  if (token_.attributes.size() < max_attributes) token_.attributes.push_back({name, value});
}

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
    if (name.starts_with("xmlns") || is_one_of(identifying_attributes, local_name(name))) return;
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
    if (is_one_of(html_elements, element_) && value_.text().find('<') != std::string::npos) {
      add_mapped(found_, read_html_list(value_.text(), include_verbatim_), value_);
    } else if (!is_identifier_) {
      const bool is_url = is_one_of(url_elements, element_) || role_of(element_) == ValueRole::url;
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
