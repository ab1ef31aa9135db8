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
#include "parser/lists/text/link_text.h"
#include "parser/url/url.h"

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
// Attributes and elements of feeds whose relative URLs are resolved against xml:base.
constexpr std::array<std::string_view, 6> feed_sources{"enclosure", "source", "content",
                                                       "thumbnail", "player", "image"};
constexpr std::array<std::string_view, 7> feed_urls{"link", "comments", "docs", "logo", "icon", "uri", "url"};
// Root elements of feeds. The only entries of a feed are its items.
constexpr std::array<std::string_view, 3> feed_roots{"rss", "feed", "rdf"};
constexpr std::array<std::string_view, 2> feed_items{"item", "entry"};
// Attributes whose URLs are identifiers of namespaces or schemas, not pages.
constexpr std::array<std::string_view, 8> identifying_attributes{
    "schemalocation",   "nonamespaceschemalocation", "about", "scheme", "targetnamespace", "namespace",
    "requiredfeatures", "requiredextensions"};
// Elements of Dublin Core and Creative Commons whose texts and resources are identifiers too.
constexpr std::array<std::string_view, 7> identifying_elements{
    "dc:type", "dcterms:type", "dcterms:conformsto", "dcterms:format", "cc:permits", "cc:requires", "cc:prohibits"};
constexpr std::size_t max_bases = 1000;       // number of elements with their own xml:base
constexpr std::size_t max_base_bytes = 2048;  // length of each base

std::string local_name(std::string_view name) {
  return to_ascii_lower(name.substr(name.rfind(':') + 1).substr(0, max_xml_name_bytes));
}

class XmlReader {
 public:
  XmlReader(std::string_view document, bool include_verbatim)
      : document_(document), include_verbatim_(include_verbatim), records_(found_) {}

  FoundLinks read() {
    // The tokenizer builds no tree and supports neither external nor user-defined entities, so nothing can expand.
    HtmlTokenizer tokens(document_, HtmlTokenizer::Unclosed::as_markup, max_xml_attributes, HtmlTokenizer::Syntax::xml);
    while (const HtmlToken* token = tokens.next()) {
      const TextRange range = range_of(token->source);
      switch (token->kind) {
        case HtmlToken::Kind::start_tag: start_tag(*token); break;
        case HtmlToken::Kind::end_tag: end_tag(range.offset); break;
        case HtmlToken::Kind::text: {
          const std::size_t stray = document_[range.offset] == '<' ? 1 : 0;
          unescape_xml(document_, {range.offset + stray, range.length - stray}, value_);
          break;
        }
        case HtmlToken::Kind::cdata: value_.copy(document_, inside(range, "<![CDATA[", "]]>")); break;
        case HtmlToken::Kind::comment: add_ignore_comment(document_, range, found_); break;
        case HtmlToken::Kind::doctype: break;
      }
    }
    finish_text();
    while (records_.any_open()) records_.close();
    records_.finish();
    return std::move(found_);
  }

 private:
  TextRange range_of(std::string_view part) const {
    return {static_cast<std::size_t>(part.data() - document_.data()), part.size()};
  }
  static TextRange inside(TextRange range, std::string_view opening, std::string_view closing) {
    return {range.offset + opening.size(), range.length - opening.size() - closing.size()};
  }

  void start_tag(const HtmlToken& tag) {
    finish_text();
    element_ = local_name(tag.name);
    is_identifier_ =
        element_ == "id" || is_one_of(identifying_elements, to_ascii_lower(tag.name.substr(0, max_xml_name_bytes)));
    records_.open();
    if (is_root_) is_feed_ = is_one_of(feed_roots, element_);
    if (std::exchange(is_root_, false) && is_feed_) records_.restrict_to_marked();
    if (is_one_of(feed_items, element_)) records_.mark_as_entry();
    is_folder_.push_back(false);
    base_of_.push_back(base_of_.empty() ? 0 : base_of_.back());
    if (markup_level_ == 0 && has_markup_namespace(tag)) markup_level_ = is_folder_.size();
    const std::size_t first = found_.links.size();
    std::string rel;
    for (const HtmlAttribute& attribute : tag.attributes) read_attribute(tag, attribute, rel);
    // In a feed, only the attributes of <link> name the page of an item.
    const bool is_page = !is_feed_ || (element_ == "link" && (rel.empty() || rel == "alternate"));
    for (std::size_t i = first; i < found_.links.size(); ++i) {
      found_.links[i].rel = rel;
      found_.links[i].context.is_named = found_.links[i].context.is_named && is_page;
    }
    resolve_from(first);
    if (element_ == "outline" && found_.links.size() == first) add_folder(tag);
    if (element_ == "folder") open_folder();
    if (tag.is_self_closing) close_element(range_of(tag.source).offset);
  }

  void close_element(std::size_t offset) {
    records_.close();
    element_.clear();
    if (is_folder_.empty()) return;
    if (markup_level_ == is_folder_.size()) markup_level_ = 0;
    base_of_.pop_back();
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
    unescape_xml(document_, range_of(attribute.value), value);
    if (name == "rel") rel = value.text().substr(0, max_xml_name_bytes);
    if (name == "ispermalink" && value.text() == "false") is_identifier_ = true;
    if (name == "xml:base") return open_base(value.text());
    if (is_identifier_ && local_name(name) == "resource") return;
    records_.add_bookmark_field(name, value.text());
    const ValueRole role = find_value_role(name);
    // In OPML the attribute "text" of an outline takes precedence over its title.
    if (role == ValueRole::title) records_.set_title(value.text());
    if (role == ValueRole::title && tag.name == "outline") return;
    const std::size_t first = found_.links.size();
    add_value_links(value, role, found_);
    if (found_.links.size() == first) add_relative_link(name, value, role);
  }

  // Returns true for an element with which XHTML or SVG begins. These may be inside other XML.
  bool has_markup_namespace(const HtmlToken& tag) const {
    const auto names_markup = [](const HtmlAttribute& attribute) {
      return attribute.name == "xmlns" &&
             (attribute.value.ends_with("/1999/xhtml") || attribute.value.ends_with("/2000/svg"));
    };
    return (is_folder_.size() == 1 && element_ == "svg") || std::ranges::any_of(tag.attributes, names_markup);
  }

  bool has_base() const { return !base_of_.empty() && !bases_[base_of_.back()].empty(); }

  // Returns true for the attribute of a feed's element that has a URL, such as <link href>, <content src> of Atom, and
  // <enclosure url>. A relative URL without xml:base is a mistake, except in Atom.
  bool is_of_feed(std::string_view name) const {
    if (!is_feed_) return false;
    if ((element_ == "link" && name == "href") || (element_ == "content" && name == "src")) return true;
    return has_base() && (name == "url" || name == "href") && is_one_of(feed_sources, element_);
  }

  // Adds the relative URL that is the text of a feed's element, such as <link> of RSS.
  void add_relative_text() {
    const std::string_view target = trim_ascii(value_.text());
    if (!is_feed_ || !has_base() || !is_one_of(feed_urls, element_) || target.empty() || target.starts_with('#') ||
        std::ranges::any_of(target, is_ascii_space))
      return;
    const TextRange range =
        value_.source_range({static_cast<std::size_t>(target.data() - value_.text().data()), target.size()});
    found_.links.emplace_back(range.offset, range.length, LinkElement::data, target);
    found_.links.back().context.is_named = element_ == "link";
  }

  // Adds the relative links of XHTML and SVG, as in <a href="b.html"> and <image xlink:href="b.png">, and of feeds.
  void add_relative_link(std::string_view name, const MappedText& value, ValueRole role) {
    const bool is_markup = markup_level_ > 0 && (name == "href" || name == "xlink:href" || name == "src");
    const std::string_view target = trim_ascii(value.text());
    const bool is_data = starts_ignoring_case(target, "data:") || starts_ignoring_case(target, "javascript:");
    if ((!is_markup && !is_of_feed(name)) || target.empty() || target.starts_with('#') || is_data) return;
    LinkElement element = LinkElement::data;
    if (is_markup) element = element_ == "a" ? LinkElement::link : LinkElement::resource;
    if (is_markup && (element_ == "image" || element_ == "img")) element = LinkElement::image;
    const TextRange range =
        value.source_range({static_cast<std::size_t>(target.data() - value.text().data()), target.size()});
    found_.links.emplace_back(range.offset, range.length, element, target);
    found_.links.back().context.is_named = role == ValueRole::page && element == LinkElement::data;
  }

  // Opens the xml:base of an element. The base of the root is the base of the document. The base of an inner element
  // applies to this element and may be relative to the base around it. It is a URL, or a path that precedes the
  // targets.
  void open_base(std::string_view base) {
    base = trim_ascii(base);
    if (is_folder_.size() == 1) {
      found_.base = base;
      bases_.front() = base;
      return;
    }
    if (bases_.size() == max_bases || base.empty()) return;
    std::string resolved = resolved_target(base, bases_[base_of_.back()]);
    if (resolved.size() > max_base_bytes) return;
    base_of_.back() = static_cast<std::uint32_t>(bases_.size());
    bases_.push_back(std::move(resolved));
  }

  // `base` is a URL or a path.
  static std::string resolved_target(std::string_view target, std::string_view base) {
    if (base.empty() || Url::parse(target).has_value()) return std::string(target);
    const Result<Url> outer = Url::parse(base);
    if (outer.has_value()) {
      const Result<Url> url = Url::parse(target, *outer);
      return url.has_value() ? std::string(url->href()) : std::string(target);
    }
    if (target.starts_with('/') || target.starts_with('#')) return std::string(target);
    return std::string(base.substr(0, base.rfind('/') + 1)).append(target);
  }

  // Resolves the links from index `first` if they are inside an element with its own base.
  void resolve_from(std::size_t first) {
    if (base_of_.empty() || base_of_.back() == 0) return;
    for (std::size_t i = first; i < found_.links.size(); ++i) {
      FoundLink& link = found_.links[i];
      if (!link.target.empty() && !link.target.view().starts_with('#'))
        link.target = resolved_target(link.target, bases_[base_of_.back()]);
    }
  }

  static std::size_t level_of_folder(std::size_t depth) { return std::min(depth, max_heading_level); }

  // Adds the folder for an OPML outline without a URL.
  void add_folder(const HtmlToken& tag) {
    for (const HtmlAttribute& attribute : tag.attributes) {
      if (attribute.name != "text" && attribute.name != "title") continue;
      MappedText value;
      unescape_xml(document_, range_of(attribute.value), value);
      open_folder();
      name_folder(range_of(tag.source).offset, value.text());
      return;
    }
  }

  // Opens a folder. In XBEL, the name of a <folder> is in its <title> element.
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
    records_.assign_new_links();
    const std::size_t first_of_text = found_.links.size();
    if (is_one_of(html_elements, element_) && value_.text().find('<') != std::string::npos) {
      const std::size_t first = found_.links.size();
      add_mapped(found_, read_html_fragment(value_.text(), include_verbatim_), value_);
      for (std::size_t i = first; i < found_.links.size(); ++i) found_.links[i].context.is_embedded = true;
    } else if (!is_identifier_) {
      const ValueRole role = is_one_of(url_elements, element_) ? ValueRole::url : find_value_role(element_);
      add_value_links(value_, role == ValueRole::title ? ValueRole::any : role, found_);
      if (found_.links.size() == first_of_text) add_relative_text();
    }
    resolve_from(first_of_text);
    records_.assign_new_links_to_parent();
    value_.clear();
  }

  std::string_view document_;
  bool include_verbatim_;
  FoundLinks found_;
  DataRecords records_;
  std::string element_;  // the last opened element, until any element closes
  bool is_identifier_ = false;
  bool is_root_ = true;  // the next element is the root
  bool is_feed_ = false;
  std::vector<bool> is_folder_;         // for each open element: true if it is a folder
  std::vector<std::string> bases_{1};   // base of the document, then bases of elements with their own
  std::vector<std::uint32_t> base_of_;  // for each open element: the index of its base
  std::size_t markup_level_ = 0;        // depth of the outermost open XHTML or SVG element; 0 if there is none
  std::size_t folders_ = 0;             // number of open folders
  MappedText value_;
};

}  // namespace

FoundLinks read_xml_links(std::string_view text, bool include_verbatim) {
  return XmlReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
