#include "parser/html/guard.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/guarded_tags.h"
#include "parser/html/html_tag.h"
#include "parser/html/open_elements.h"
#include "parser/html/put_aside.h"

namespace linkherd::parser {
namespace {

// Adds an inline script that may hold data to those captured, as long as the limits allow.
void capture_script(const HtmlTag& tag, std::string_view text, const GuardLimits& limits, GuardedHtml& out);

void capture_script(const HtmlTag& tag, std::string_view text, const GuardLimits& limits, GuardedHtml& out) {
  if (text.size() > limits.max_script_bytes) {
    out.truncated = true;
    return;
  }
  EmbeddedScript script;
  for (const HtmlAttribute& attribute : tag.attributes) {
    if (equals_ignoring_case(attribute.name, "src")) return;
    if (equals_ignoring_case(attribute.name, "id")) script.id = attribute.value;
    if (equals_ignoring_case(attribute.name, "type")) {
      script.type = to_ascii_lower(trim_ascii(attribute.value.substr(0, attribute.value.find(';'))));
    }
  }
  if (trim_ascii(text).empty()) return;
  // A quarter of the places is reserved for data: JSON-LD often follows many analytics scripts.
  const bool is_data = script.type.find("json") != std::string::npos || !script.id.empty();
  const std::size_t places = is_data ? limits.max_scripts : limits.max_scripts - limits.max_scripts / 4;
  if (out.scripts.size() >= places) {
    out.truncated = true;
    return;
  }
  script.text = text;
  out.scripts.push_back(std::move(script));
}

constexpr std::size_t max_doctype_bytes = 256;
constexpr std::size_t max_run = 16;  // of "<" that begin no tag

// Formatting elements become a <span> or nothing.
bool is_block(GumboTag tag) { return !is_inline(tag) && !is_formatting_element(tag); }

class Guard {
 public:
  Guard(std::string_view text, const GuardLimits& limits)
      : text_(text), limits_(limits), text_out_(result_, limits_), open_(result_.html, limits.max_depth) {
    // What most pages need.
    result_.html.reserve(std::min(text.size(), limits.max_bytes) / 8 + 1024);
    result_.values.reserve(std::min(text.size(), limits.max_bytes) / 4 + 1024);
  }

  GuardedHtml run() {
    while (at_ < text_.size() && !full_) step();
    open_.close_all();
    return std::move(result_);
  }

 private:
  void step();
  void markup_declaration();
  bool read_tag();
  void start_tag();
  void end_tag();
  void write_tag(std::string_view name);
  void formatting_element();
  void raw_text_element(RawText kind);
  void skip_subtree(GumboTag root, const std::string& name);
  bool is_canonical_or_author_link() const;
  bool fits(std::size_t bytes);
  void count_node(GumboTag tag = GUMBO_TAG_UNKNOWN);
  void write_text(std::string_view text);
  void write_less();

  std::string_view text_;
  GuardLimits limits_;
  GuardedHtml result_;
  GuardedText text_out_;
  OpenElements open_;
  HtmlTag tag_;  // the last that was read
  std::size_t at_ = 0;
  std::size_t tags_ = 0;
  std::size_t nodes_ = 0;
  std::size_t attributes_ = 0;
  std::size_t run_ = 0;  // of "<" just written as text
  bool full_ = false;
};

bool Guard::fits(std::size_t bytes) {
  if (text_out_.size() + bytes <= limits_.max_bytes) return true;
  full_ = true;
  result_.truncated = true;
  return false;
}

// gumbo looks through all open elements for many a tag, so one deep inside counts for several; a link, which it keeps
// in two lists, for two.
void Guard::count_node(GumboTag tag) {
  constexpr std::size_t ordinary_depth = 128;
  nodes_ += (tag == GUMBO_TAG_A ? 2U : 1U) + open_.depth() / ordinary_depth;
  if (nodes_ < limits_.max_nodes) return;
  full_ = true;
  result_.truncated = true;
}

void Guard::write_text(std::string_view text) {
  if (text.empty()) return;
  run_ = 0;
  if (text_out_.write(text)) count_node();
  if (text_out_.is_full()) full_ = true;
}

void Guard::write_less() {
  text_out_.write_less();
  if (text_out_.is_full()) full_ = true;
}

// Behind "<!": a comment, the doctype, or something that browsers treat as a comment.
void Guard::markup_declaration() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<!--")) {
    // "<!-->" and "<!--->" are whole comments; "--!>" ends one too, but rarely enough to be left to the next "-->".
    at_ += rest.starts_with("<!-->") || rest.starts_with("<!--->") ? std::size_t{2} : std::size_t{4};
    skip_past(text_, at_, "-->");
    return;
  }
  const std::size_t begin = at_;
  skip_past(text_, at_, ">");
  const std::string_view declaration = text_.substr(begin, at_ - begin);
  if (starts_ignoring_case(declaration, "<!doctype") && declaration.size() <= max_doctype_bytes && tags_ == 0) {
    text_out_.write_markup(declaration);
    count_node();
  }
}

bool Guard::read_tag() {
  const bool is_whole = read_html_tag(text_, at_, limits_.max_attributes, tag_);
  if (is_whole && tag_.attributes_dropped) result_.truncated = true;
  return is_whole;
}

void Guard::step() {
  const std::size_t less = std::min(text_.find('<', at_), text_.size());
  write_text(text_.substr(at_, less - at_));
  at_ = less;
  if (full_ || at_ >= text_.size()) return;
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  const bool closing = next == '/';
  const char first = closing && at_ + 2 < text_.size() ? text_[at_ + 2] : next;
  if (is_ascii_letter(first)) {
    if (!read_tag()) return;
    run_ = 0;
    if (++tags_ > limits_.max_tags) {
      full_ = true;
      result_.truncated = true;
    } else if (!closing) {
      start_tag();
    } else {
      end_tag();
    }
  } else if (next == '!') {
    markup_declaration();
  } else if (next == '?' || closing) {
    skip_past(text_, at_, ">");
  } else {
    ++at_;
    if (run_ < max_run) write_less();
    ++run_;
  }
}

void Guard::end_tag() {
  if (is_frame_of_document(tag_.id)) return;
  const std::size_t before = result_.html.size();
  open_.end_tag(tag_.id, tag_.name);
  if (result_.html.size() != before && is_block(tag_.id)) text_out_.note_border();
}

void Guard::write_tag(std::string_view name) {
  const std::size_t at = result_.html.size();
  const std::size_t values_before = result_.values.size();
  const std::size_t attributes_before = result_.attributes.size();
  result_.html += '<';
  result_.html += name;
  if (!write_kept_attributes(tag_, at, result_, attributes_)) result_.truncated = true;
  result_.html += '>';
  if (is_block(tag_.id)) text_out_.note_border();
  if (fits(0)) return;
  result_.html.resize(at);
  result_.values.resize(values_before);
  result_.attributes.resize(attributes_before);
  if (!result_.tags.empty() && result_.tags.back().at == at) result_.tags.pop_back();
}

void Guard::raw_text_element(RawText kind) {
  const std::string_view text = take_raw_text(text_, at_, tag_.name);
  if (tag_.id == GUMBO_TAG_SCRIPT) capture_script(tag_, text, limits_, result_);
  if (kind == RawText::drop || !open_.close_implied_by(tag_.id)) return;
  write_tag(tag_.name);
  if (full_) return;
  if (text_out_.write_raw(text)) count_node();
  if (text_out_.is_full()) full_ = true;
  result_.html += "</";
  result_.html += tag_.name;
  result_.html += '>';
  text_out_.note_border();
}

// Past the end of an element that gumbo must not see, with all inside it.
void Guard::skip_subtree(GumboTag root, const std::string& name) {
  std::size_t depth = 1;
  std::size_t html_inside = 0;  // <foreignObject> and the like, which may hold HTML tags
  while (depth > 0 && at_ < text_.size()) {
    at_ = std::min(text_.find('<', at_), text_.size());
    const std::string_view rest = text_.substr(at_);
    const bool closing = rest.starts_with("</");
    const std::size_t letter = closing ? 2 : 1;
    if (rest.starts_with("<![CDATA[")) {
      skip_past(text_, at_, "]]>");
    } else if (rest.starts_with("<!--")) {
      at_ += 4;
      skip_past(text_, at_, "-->");
    } else if (rest.size() > letter && is_ascii_letter(rest[letter])) {
      const std::size_t begin = at_;
      if (!read_tag()) return;
      if (++tags_ > limits_.max_tags) {
        at_ = text_.size();
        result_.truncated = true;
        return;
      }
      const bool is_entry = tag_.name == "foreignobject" || tag_.name == "desc" || tag_.name == "title" ||
                            tag_.name == "annotation-xml" || tag_.name == "mtext";
      if (tag_.name == name) {
        if (closing) --depth;
        if (!closing && !tag_.self_closing) ++depth;
      } else if (is_entry && !tag_.self_closing) {
        if (closing && html_inside > 0) --html_inside;
        if (!closing) ++html_inside;
      } else if (!closing && (tag_.id == GUMBO_TAG_SCRIPT || tag_.id == GUMBO_TAG_STYLE) && !tag_.self_closing) {
        take_raw_text(text_, at_, tag_.name);
      } else if (root != GUMBO_TAG_TEMPLATE && html_inside == 0 && breaks_out_of_foreign(tag_.id)) {
        at_ = begin;
        return;
      }
    } else {
      ++at_;
    }
  }
}

// Formatting elements make gumbo copy them into every block they overlap, without bound. One that carries attributes an
// extractor may look at becomes a <span>, which overlaps nothing.
void Guard::formatting_element() {
  const bool tells = std::ranges::any_of(tag_.attributes, [](const HtmlAttribute& attribute) {
    return kept_attribute(attribute.name) != kept_attributes.size();
  });
  if (!tells || !open_.can_open() || !open_.close_implied_by(GUMBO_TAG_SPAN)) {
    open_.note_unwritten(tag_.id);
    return;
  }
  write_tag("span");
  if (!full_) open_.push(tag_.id, "span");
  count_node();
}

// Of <link>, only what names the address or an author of the page.
bool Guard::is_canonical_or_author_link() const {
  return std::ranges::any_of(tag_.attributes, [](const HtmlAttribute& attribute) {
    return equals_ignoring_case(attribute.name, "itemprop") ||
           (equals_ignoring_case(attribute.name, "rel") && (contains_ignoring_case(attribute.value, "canonical") ||
                                                            contains_ignoring_case(attribute.value, "author")));
  });
}

void Guard::start_tag() {
  const GumboTag id = tag_.id;
  if (is_dropped(id)) return;
  if (const RawText kind = raw_text_of(id); kind != RawText::none) {
    raw_text_element(kind);
  } else if (id == GUMBO_TAG_SVG || id == GUMBO_TAG_MATH || id == GUMBO_TAG_TEMPLATE) {
    if (!tag_.self_closing || id == GUMBO_TAG_TEMPLATE) skip_subtree(id, std::string(tag_.name));
  } else if (is_frame_of_document(id)) {
    write_tag(tag_.name);
  } else if (is_formatting_element(id)) {
    formatting_element();
  } else if (open_.close_implied_by(id)) {
    if (is_replaced_by_space(id)) {
      write_text(" ");
    } else if (is_void_element(id)) {
      if (id == GUMBO_TAG_LINK && !is_canonical_or_author_link()) return;
      write_tag(tag_.name);
      count_node();
    } else if (!open_.can_open()) {
      open_.skip_too_deep();
      result_.truncated = true;
    } else {
      write_tag(tag_.name);
      if (!full_) open_.push(id, tag_.name);
      count_node(id);
    }
  }
}

}  // namespace

GuardedHtml guard_html(std::string_view utf8, const GuardLimits& limits) { return Guard(utf8, limits).run(); }

}  // namespace linkherd::parser
