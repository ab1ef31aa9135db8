#include "parser/html/sanitizer.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/html_tokenizer.h"
#include "parser/html/open_elements.h"
#include "parser/html/sanitizer_output.h"
#include "parser/html/sanitizer_tags.h"

namespace linkherd::parser {
namespace {

// The treatment of an element whose content is raw text and not markup.
enum class RawText { none, keep, drop };

constexpr RawText raw_text_of(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_XMP: return RawText::keep;
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOSCRIPT: return RawText::drop;
    default: return RawText::none;
  }
}

// Captures an inline script that may hold data, within the limits.
void capture_script(const HtmlToken& tag, std::string_view text, const SanitizerLimits& limits, SanitizedHtml& out) {
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
  // A quarter of the slots is reserved for data: JSON-LD often follows many analytics scripts.
  const bool is_data = script.type.find("json") != std::string::npos || !script.id.empty();
  const std::size_t count = is_data ? limits.max_scripts : limits.max_scripts - limits.max_scripts / 4;
  if (out.scripts.size() >= count) {
    out.truncated = true;
    return;
  }
  script.text = text;
  out.scripts.push_back(std::move(script));
}

constexpr std::size_t max_doctype_bytes = 256;
constexpr std::size_t max_run = 16;  // consecutive "<" that do not begin a tag

// Formatting elements do not count as blocks: each becomes a <span> or is dropped.
bool is_block(GumboTag tag) { return !is_inline(tag) && !is_formatting_element(tag); }

class Sanitizer {
 public:
  Sanitizer(std::string_view text, const SanitizerLimits& limits)
      : limits_(limits),
        tokens_(text, HtmlTokenizer::Unclosed::to_end_of_text, limits.max_attributes),
        text_out_(result_, limits_),
        open_(result_.html, limits.max_depth) {
    result_.html.reserve(std::min(text.size(), limits.max_bytes) / 8 + 1024);
    result_.detached_values.reserve(std::min(text.size(), limits.max_bytes) / 4 + 1024);
  }

  SanitizedHtml run() {
    while (!full_ && read_token()) take_token();
    open_.close_all();
    return std::move(result_);
  }

 private:
  bool read_token();
  void take_token();
  void text(std::string_view text);
  void start_tag();
  void end_tag();
  void write_tag(std::string_view name);
  void formatting_element();
  void raw_text_element(RawText kind);
  void skip_subtree();
  bool is_link_about_page() const;
  bool fits(std::size_t bytes);
  void count_node(GumboTag tag = GUMBO_TAG_UNKNOWN);
  void write_text(std::string_view text);
  void write_less_than();

  SanitizerLimits limits_;
  HtmlTokenizer tokens_;
  SanitizedHtml result_;
  SanitizedText text_out_;
  OpenElements open_;
  const HtmlToken* token_ = nullptr;  // the last token read
  std::size_t tags_ = 0;
  std::size_t nodes_ = 0;
  std::size_t attributes_ = 0;
  std::size_t run_ = 0;  // consecutive "<" just written as text
  bool full_ = false;
};

bool Sanitizer::fits(std::size_t bytes) {
  if (text_out_.size() + bytes <= limits_.max_bytes) return true;
  full_ = true;
  result_.truncated = true;
  return false;
}

// Counts nodes, weighted by their cost. gumbo searches all open elements for many tags, so a deep element counts
// several times. A link counts twice, because gumbo keeps it in two lists.
void Sanitizer::count_node(GumboTag tag) {
  constexpr std::size_t ordinary_depth = 128;
  nodes_ += (tag == GUMBO_TAG_A ? 2U : 1U) + open_.depth() / ordinary_depth;
  if (nodes_ < limits_.max_nodes) return;
  full_ = true;
  result_.truncated = true;
}

void Sanitizer::write_text(std::string_view text) {
  if (text.empty()) return;
  run_ = 0;
  if (text_out_.write(text)) count_node();
  if (text_out_.is_full()) full_ = true;
}

void Sanitizer::write_less_than() {
  text_out_.write_less_than();
  if (text_out_.is_full()) full_ = true;
}

// Returns false at the end of the page or if a limit is reached.
bool Sanitizer::read_token() {
  token_ = tokens_.next();
  if (token_ == nullptr) return false;
  if (token_->kind != HtmlToken::Kind::start_tag && token_->kind != HtmlToken::Kind::end_tag) return true;
  if (token_->has_dropped_attributes) result_.truncated = true;
  run_ = 0;
  if (++tags_ <= limits_.max_tags) return true;
  full_ = true;
  result_.truncated = true;
  return false;
}

void Sanitizer::take_token() {
  switch (token_->kind) {
    case HtmlToken::Kind::text: text(token_->source); break;
    case HtmlToken::Kind::start_tag: start_tag(); break;
    case HtmlToken::Kind::end_tag: end_tag(); break;
    case HtmlToken::Kind::comment:
    case HtmlToken::Kind::cdata: break;
    case HtmlToken::Kind::doctype:
      if (token_->source.size() > max_doctype_bytes || tags_ > 0) break;
      text_out_.write_markup(token_->source);
      count_node();
      break;
  }
}

void Sanitizer::text(std::string_view text) {
  if (text.starts_with('<')) {
    text.remove_prefix(1);
    if (run_ < max_run) write_less_than();
    ++run_;
  }
  if (!full_) write_text(text);
}

void Sanitizer::end_tag() {
  if (is_document_structure(token_->id)) return;
  const std::size_t before = result_.html.size();
  open_.end_tag(token_->id, token_->name);
  if (result_.html.size() != before && is_block(token_->id)) text_out_.note_block_boundary();
}

void Sanitizer::write_tag(std::string_view name) {
  const std::size_t at = result_.html.size();
  const std::size_t values_before = result_.detached_values.size();
  const std::size_t attributes_before = result_.attributes.size();
  result_.html += '<';
  result_.html += name;
  if (!write_kept_attributes(*token_, at, result_, attributes_)) result_.truncated = true;
  result_.html += '>';
  if (is_block(token_->id)) text_out_.note_block_boundary();
  if (fits(0)) return;
  result_.html.resize(at);
  result_.detached_values.resize(values_before);
  result_.attributes.resize(attributes_before);
  if (!result_.tags.empty() && result_.tags.back().at == at) result_.tags.pop_back();
}

void Sanitizer::raw_text_element(RawText kind) {
  const std::string_view text = tokens_.raw_text().value_or("");
  if (token_->id == GUMBO_TAG_SCRIPT) capture_script(*token_, text, limits_, result_);
  if (kind == RawText::drop || !open_.close_implied_by(token_->id)) return;
  write_tag(token_->name);
  if (full_) return;
  if (text_out_.write_raw(text)) count_node();
  if (text_out_.is_full()) full_ = true;
  result_.html += "</";
  result_.html += token_->name;
  result_.html += '>';
  text_out_.note_block_boundary();
}

// Skips to the end of an element that gumbo must not see, with all its content.
void Sanitizer::skip_subtree() {
  const GumboTag root = token_->id;
  std::size_t depth = 1;
  // open HTML integration points (<foreignObject> and others), which may contain HTML tags
  std::size_t html_inside = 0;
  tokens_.set_foreign(true);
  while (depth > 0 && read_token()) {
    const std::string_view name = token_->name;
    const bool closing = token_->kind == HtmlToken::Kind::end_tag;
    if (!closing && token_->kind != HtmlToken::Kind::start_tag) continue;
    const bool is_entry =
        name == "foreignobject" || name == "desc" || name == "title" || name == "annotation-xml" || name == "mtext";
    if (token_->id == root) {
      if (closing) --depth;
      if (!closing && !token_->is_self_closing) ++depth;
    } else if (is_entry && !token_->is_self_closing) {
      if (closing && html_inside > 0) --html_inside;
      if (!closing) ++html_inside;
    } else if (!closing && (token_->id == GUMBO_TAG_SCRIPT || token_->id == GUMBO_TAG_STYLE) &&
               !token_->is_self_closing) {
      tokens_.raw_text();
      tokens_.next();  // the end tag
    } else if (root != GUMBO_TAG_TEMPLATE && html_inside == 0 && breaks_out_of_foreign(token_->id)) {
      tokens_.put_back();
      break;
    }
  }
  tokens_.set_foreign(false);
}

// Handles <b>, <font> and the like. gumbo would copy an unclosed formatting element into every block that it overlaps,
// without bound. An element that has kept attributes is written as a <span>, which is never copied. Other formatting
// elements are dropped.
void Sanitizer::formatting_element() {
  const bool has_kept_attributes = std::ranges::any_of(token_->attributes, [](const HtmlAttribute& attribute) {
    return kept_attribute(attribute.name) != kept_attributes.size();
  });
  if (!has_kept_attributes || !open_.can_open() || !open_.close_implied_by(GUMBO_TAG_SPAN)) {
    open_.note_omitted(token_->id);
    return;
  }
  write_tag("span");
  if (!full_) open_.push(token_->id, "span");
  count_node();
}

// Returns true for the only <link> elements that extractors need.
bool Sanitizer::is_link_about_page() const {
  return std::ranges::any_of(token_->attributes, [](const HtmlAttribute& attribute) {
    return equals_ignoring_case(attribute.name, "itemprop") ||
           (equals_ignoring_case(attribute.name, "type") &&
            equals_ignoring_case(attribute.value, "application/json+oembed")) ||
           (equals_ignoring_case(attribute.name, "rel") && (contains_ignoring_case(attribute.value, "canonical") ||
                                                            contains_ignoring_case(attribute.value, "author")));
  });
}

void Sanitizer::start_tag() {
  const GumboTag id = token_->id;
  if (is_dropped(id)) return;
  if (const RawText kind = raw_text_of(id); kind != RawText::none) {
    raw_text_element(kind);
    tokens_.next();  // the end tag
  } else if (id == GUMBO_TAG_SVG || id == GUMBO_TAG_MATH || id == GUMBO_TAG_TEMPLATE) {
    if (!token_->is_self_closing || id == GUMBO_TAG_TEMPLATE) skip_subtree();
  } else if (is_document_structure(id)) {
    write_tag(token_->name);
  } else if (is_formatting_element(id)) {
    formatting_element();
  } else if (open_.close_implied_by(id)) {
    if (is_replaced_by_space(id)) {
      write_text(" ");
    } else if (is_void_element(id)) {
      if (id == GUMBO_TAG_LINK && !is_link_about_page()) return;
      write_tag(token_->name);
      count_node();
    } else if (!open_.can_open()) {
      open_.skip_too_deep();
      result_.truncated = true;
    } else {
      write_tag(token_->name);
      if (!full_) open_.push(id, token_->name);
      count_node(id);
    }
  }
}

}  // namespace

SanitizedHtml sanitize_html(std::string_view utf8, const SanitizerLimits& limits) {
  return Sanitizer(utf8, limits).run();
}

}  // namespace linkherd::parser
