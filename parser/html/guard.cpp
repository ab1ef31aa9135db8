#include "parser/html/guard.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/guarded_tags.h"
#include "parser/html/html_tag.h"
#include "parser/html/open_elements.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_all_attributes = 300'000;  // each costs gumbo some 150 bytes
constexpr std::size_t max_doctype_bytes = 256;
constexpr std::size_t max_run = 16;  // of "<" that begin no tag

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && !is_ascii_space(c); }

// gumbo's strings end at a NUL, so none may pass; other controls would become U+FFFD and are spaces instead.
void append_clean(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += text;
  const auto added = out.begin() + static_cast<std::ptrdiff_t>(begin);
  if (std::find_if(added, out.end(), is_control) == out.end()) return;
  out.erase(std::remove(added, out.end(), '\0'), out.end());
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
}

class Guard {
 public:
  Guard(std::string_view text, const GuardLimits& limits)
      : text_(text), limits_(limits), open_(result_.html, limits.max_depth) {
    result_.html.reserve(std::min(text.size(), limits.max_bytes) + 1024);
  }

  GuardedHtml run() {
    while (at_ < text_.size() && !full_) step();
    open_.close_all();
    return std::move(result_);
  }

 private:
  void step();
  void markup_declaration();
  std::optional<HtmlTag> read_tag();
  void start_tag(const HtmlTag& tag);
  void write_tag(const HtmlTag& tag, std::string_view name);
  void formatting_element(const HtmlTag& tag);
  void raw_text_element(const HtmlTag& tag, RawText kind);
  void capture_script(const HtmlTag& tag, std::string_view text);
  void skip_subtree(GumboTag root, std::string_view name);
  bool fits(std::size_t bytes);
  void write_text(std::string_view text);

  std::string_view text_;
  GuardLimits limits_;
  GuardedHtml result_;
  OpenElements open_;
  std::size_t at_ = 0;
  std::size_t tags_ = 0;
  std::size_t attributes_ = 0;
  std::size_t run_ = 0;  // of "<" just written as text
  bool full_ = false;
};

bool Guard::fits(std::size_t bytes) {
  if (result_.html.size() + bytes <= limits_.max_bytes) return true;
  full_ = true;
  result_.truncated = true;
  return false;
}

// Text that does not fit is cut: its beginning still says something.
void Guard::write_text(std::string_view text) {
  if (text.empty()) return;
  run_ = 0;
  const std::size_t room = limits_.max_bytes - std::min(limits_.max_bytes, result_.html.size());
  if (text.size() > room) {
    text = truncate_utf8(text, room);
    full_ = true;
    result_.truncated = true;
  }
  append_clean(result_.html, text);
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
    write_text(declaration);
  }
}

std::optional<HtmlTag> Guard::read_tag() {
  std::optional<HtmlTag> tag = read_html_tag(text_, at_, limits_.max_attributes);
  if (tag && tag->attributes_dropped) result_.truncated = true;
  return tag;
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
    const std::optional<HtmlTag> tag = read_tag();
    if (!tag) return;
    run_ = 0;
    if (++tags_ > limits_.max_tags) {
      full_ = true;
      result_.truncated = true;
    } else if (!closing) {
      start_tag(*tag);
    } else if (!is_frame_of_document(tag->id)) {
      open_.end_tag(tag->id, tag->name);
    }
  } else if (next == '!') {
    markup_declaration();
  } else if (next == '?' || closing) {
    skip_past(text_, at_, ">");
  } else {
    ++at_;
    if (run_ < max_run && fits(1)) result_.html += '<';
    ++run_;
  }
}

void Guard::write_tag(const HtmlTag& tag, std::string_view name) {
  std::size_t size = name.size() + 3;
  for (const HtmlAttribute& attribute : tag.attributes) size += attribute.text.size() + 1;
  if (!fits(size)) return;
  result_.html += '<';
  result_.html += name;
  for (const HtmlAttribute& attribute : tag.attributes) {
    if (++attributes_ > max_all_attributes) {
      result_.truncated = true;
      break;
    }
    result_.html += ' ';
    append_clean(result_.html, attribute.text);
  }
  // An unquoted value may end in "/", which must stay apart from the ">".
  if (result_.html.back() == '/') result_.html += ' ';
  result_.html += '>';
}

void Guard::capture_script(const HtmlTag& tag, std::string_view text) {
  if (text.size() > limits_.max_script_bytes) {
    result_.truncated = true;
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
  // A quarter of the places is kept for data: JSON-LD often follows a crowd of analytics.
  const bool is_data = script.type.find("json") != std::string::npos || !script.id.empty();
  const std::size_t places = is_data ? limits_.max_scripts : limits_.max_scripts - limits_.max_scripts / 4;
  if (result_.scripts.size() >= places) {
    result_.truncated = true;
    return;
  }
  script.text = text;
  result_.scripts.push_back(std::move(script));
}

void Guard::raw_text_element(const HtmlTag& tag, RawText kind) {
  if (tag.id == GUMBO_TAG_IFRAME && open_.make_room_for(tag.id)) {
    write_tag(tag, tag.name);
    if (!full_) result_.html += "</iframe>";
  }
  const std::string_view text = take_raw_text(text_, at_, tag.name);
  if (tag.id == GUMBO_TAG_SCRIPT) capture_script(tag, text);
  if (kind == RawText::drop || !open_.make_room_for(tag.id)) return;
  write_tag(tag, tag.name);
  if (full_) return;
  write_text(text);
  result_.html += "</";
  result_.html += tag.name;
  result_.html += '>';
}

// Past the end of an element that gumbo must not see, with all inside it.
void Guard::skip_subtree(GumboTag root, std::string_view name) {
  std::size_t depth = 1;
  std::size_t html_inside = 0;  // <foreignObject> and the like, where HTML tags are at home
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
      const std::optional<HtmlTag> tag = read_tag();
      if (!tag) return;
      if (++tags_ > limits_.max_tags) {
        at_ = text_.size();
        result_.truncated = true;
        return;
      }
      const bool is_entry = tag->name == "foreignobject" || tag->name == "desc" || tag->name == "title" ||
                            tag->name == "annotation-xml" || tag->name == "mtext";
      if (tag->name == name) {
        if (closing) --depth;
        if (!closing && !tag->self_closing) ++depth;
      } else if (is_entry && !tag->self_closing) {
        if (closing && html_inside > 0) --html_inside;
        if (!closing) ++html_inside;
      } else if (!closing && (tag->id == GUMBO_TAG_SCRIPT || tag->id == GUMBO_TAG_STYLE) && !tag->self_closing) {
        take_raw_text(text_, at_, tag->name);
      } else if (root != GUMBO_TAG_TEMPLATE && html_inside == 0 && breaks_out_of_foreign(tag->id)) {
        at_ = begin;
        return;
      }
    } else {
      ++at_;
    }
  }
}

// Formatting elements make gumbo copy them into every block they overlap, without bound. One that carries attributes an
// extractor may look at lives on as a <span>, which overlaps nothing.
void Guard::formatting_element(const HtmlTag& tag) {
  static constexpr std::array telling{"id", "class", "itemprop", "rel", "datetime", "title"};
  const bool tells = std::ranges::any_of(tag.attributes, [](const HtmlAttribute& attribute) {
    return std::ranges::any_of(telling,
                               [&](std::string_view name) { return equals_ignoring_case(attribute.name, name); }) ||
           starts_ignoring_case(attribute.name, "data-");
  });
  if (!tells || !open_.has_room() || !open_.make_room_for(GUMBO_TAG_SPAN)) {
    open_.note_unwritten(tag.id);
    return;
  }
  write_tag(tag, "span");
  if (!full_) open_.push(tag.id, "span");
}

void Guard::start_tag(const HtmlTag& tag) {
  if (is_left_out(tag.id)) return;
  if (const RawText kind = raw_text_of(tag.id); kind != RawText::none) {
    raw_text_element(tag, kind);
  } else if (tag.id == GUMBO_TAG_SVG || tag.id == GUMBO_TAG_MATH || tag.id == GUMBO_TAG_TEMPLATE) {
    if (!tag.self_closing || tag.id == GUMBO_TAG_TEMPLATE) skip_subtree(tag.id, tag.name);
  } else if (is_frame_of_document(tag.id)) {
    write_tag(tag, tag.name);
  } else if (is_formatting_element(tag.id)) {
    formatting_element(tag);
  } else if (open_.make_room_for(tag.id)) {
    if (is_void_element(tag.id)) {
      write_tag(tag, tag.name);
    } else if (!open_.has_room()) {
      open_.skip_too_deep();
      result_.truncated = true;
    } else {
      write_tag(tag, tag.name);
      if (!full_) open_.push(tag.id, tag.name);
    }
  }
}

}  // namespace

GuardedHtml guard_html(std::string_view utf8, const GuardLimits& limits) { return Guard(utf8, limits).run(); }

}  // namespace linkherd::parser
