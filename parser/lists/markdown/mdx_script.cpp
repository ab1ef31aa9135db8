#include "parser/lists/markdown/mdx_script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/search.h"

namespace linkherd::parser {
namespace {

// A text with more unclosed parts than this is not MDX.
constexpr std::size_t max_failed_texts = 8;
constexpr std::size_t min_failed_steps = 4096;

constexpr bool begins_name(char c) { return is_ascii_letter(c) || c == '_' || c == '$' || is_not_ascii(c); }
constexpr bool is_of_name(char c) { return begins_name(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == ':'; }
constexpr bool is_of_word(char c) { return begins_name(c) || is_ascii_digit(c); }

// Returns the content of a string that is the whole expression, or nullopt.
std::optional<TextRange> constant_in(std::string_view text, TextRange expression) {
  const std::string_view whole = text.substr(expression.offset, expression.length);
  const std::string_view trimmed = trim_ascii(whole);
  if (trimmed.size() < 2) return std::nullopt;
  const char quote = trimmed.front();
  const bool is_quoted = (quote == '"' || quote == '\'' || quote == '`') && trimmed.back() == quote;
  if (!is_quoted) return std::nullopt;
  const std::string_view inside = trimmed.substr(1, trimmed.size() - 2);
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] == '\\') {
      ++at;
    } else if (inside[at] == quote || (quote == '`' && inside.substr(at, 2) == "${")) {
      return std::nullopt;
    }
  }
  return TextRange{static_cast<std::size_t>(inside.data() - text.data()), inside.size()};
}

}  // namespace

struct MdxScript::Frame {
  enum class Mode : std::uint8_t { script, module, template_text, tag, children };
  Mode mode = Mode::script;
  std::size_t start = 0;
  TextRange element{};                   // the name of a tag
  std::size_t attribute = no_attribute;  // index of the attribute whose value is the script
  std::size_t brackets = 0;              // number of open "(" and "[" in a script
};

MdxScript::MdxScript(std::string_view text)
    : text_(text), steps_left_(std::max(max_failed_texts * text.size(), min_failed_steps)) {}

MdxScript::~MdxScript() = default;

std::optional<ScriptPart> MdxScript::tag(std::size_t at, bool is_in_quote) {
  is_in_quote_ = is_in_quote;
  std::size_t next = at + 1;
  if (next >= text_.size()) return std::nullopt;
  if (text_[next] == '>') return ScriptPart{.end = next + 1};
  const bool is_closing = text_[next] == '/';
  if (is_closing) ++next;
  const std::size_t end = name_end(next);
  const TextRange name{next, end - next};
  if (is_closing) {
    next = skip_space(end);
    if (next >= text_.size() || text_[next] != '>') return std::nullopt;
    return ScriptPart{.end = next + 1, .name = name, .is_closing = true};
  }
  if (name.length == 0) return std::nullopt;
  std::optional<ScriptPart> part = read(end, {.mode = Frame::Mode::tag, .start = at, .element = name});
  if (!part) return std::nullopt;
  part->name = name;
  part->is_self_closing = text_[part->end - 2] == '/';
  return part;
}

std::optional<ScriptPart> MdxScript::expression(std::size_t at) {
  is_in_quote_ = false;
  return read(at + 1, {.start = at});
}

std::size_t MdxScript::module_end(std::size_t at) {
  is_in_quote_ = false;
  if (const auto part = read(at, {.mode = Frame::Mode::module, .start = at})) return part->end;
  std::size_t end = at;
  while (end < text_.size()) {
    const std::size_t next = find_line_break(text_, end);
    if (trim_ascii(text_.substr(end, next - end)).empty()) break;
    end = after_line_break(text_, next);
  }
  return end;
}

std::optional<ScriptPart> MdxScript::read(std::size_t at, Frame first) {
  if (steps_left_ == 0) return std::nullopt;
  const std::array before{attributes_.size(), files_.size(), comments_.size()};
  frames_.assign(1, first);
  before_ = 0;
  word_ = call_ = {};
  std::size_t reached = at;
  while (at != failed && !frames_.empty()) {
    reached = at;
    at = step(at);
  }
  if (at != failed) return ScriptPart{.end = at};
  steps_left_ -= std::min(steps_left_, reached - first.start + 1);
  attributes_.resize(before[0]);
  files_.resize(before[1]);
  comments_.resize(before[2]);
  return std::nullopt;
}

std::size_t MdxScript::step(std::size_t at) {
  if (at >= text_.size()) {
    const bool is_end_of_module = frames_.size() == 1 && frames_.back().mode == Frame::Mode::module;
    if (!is_end_of_module || frames_.back().brackets > 0) return failed;
    frames_.clear();
    return text_.size();
  }
  switch (frames_.back().mode) {
    case Frame::Mode::script:
    case Frame::Mode::module: return step_script(at);
    case Frame::Mode::template_text: return step_template(at);
    case Frame::Mode::tag: return step_tag(at);
    case Frame::Mode::children: return step_children(at);
  }
  return failed;
}

std::size_t MdxScript::step_script(std::size_t at) {
  const char c = text_[at];
  Frame& frame = frames_.back();
  switch (c) {
    case '"':
    case '\'': return after_string(at);
    case '`': frames_.push_back({.mode = Frame::Mode::template_text, .start = at}); return at + 1;
    case '/': return after_slash(at);
    case '{':
      frames_.push_back({.start = at});
      before_ = c;
      return at + 1;
    case '}': return close_script(at);
    case '(':
    case '[':
      call_ = c == '(' && before_ == 'a' ? word_ : std::string_view();
      ++frame.brackets;
      before_ = c;
      return at + 1;
    case ')':
    case ']':
      if (frame.brackets > 0) --frame.brackets;
      before_ = ')';
      return at + 1;
    case '<':
      if (may_begin_value()) {
        if (const std::size_t after = open_tag(at); after != failed) return after;
      }
      before_ = c;
      return at + 1;
    case '\n':
    case '\r': return line_end_in_script(at);
    case ' ':
    case '\t':
    case '\f':
    case '\v': return at + 1;
    default: break;
  }
  if (is_of_word(c)) return after_word(at);
  before_ = c;
  return at + 1;
}

// Passes a line break. A blank line ends a module.
std::size_t MdxScript::line_end_in_script(std::size_t at) {
  const std::size_t next = after_line_break(text_, at);
  const bool may_end =
      frames_.size() == 1 && frames_.back().mode == Frame::Mode::module && frames_.back().brackets == 0;
  if (may_end && trim_ascii(text_.substr(next, find_line_break(text_, next) - next)).empty()) frames_.clear();
  return next;
}

std::size_t MdxScript::close_script(std::size_t at) {
  before_ = ')';
  const Frame frame = frames_.back();
  if (frame.mode == Frame::Mode::module) return at + 1;
  frames_.pop_back();
  if (frame.attribute == no_attribute) return at + 1;
  JsxAttribute& attribute = attributes_[frame.attribute];
  attribute.end = at + 1;
  if (const auto constant = constant_in(text_, {frame.start + 1, at - frame.start - 1})) {
    attribute.kind = JsxAttribute::Value::constant;
    attribute.value = *constant;
  }
  return at + 1;
}

// Returns the offset after a string, which ends at the end of its line at the latest.
std::size_t MdxScript::after_string(std::size_t at) {
  const char quote = text_[at];
  std::size_t end = at + 1;
  while (end < text_.size() && text_[end] != quote && text_[end] != '\n' && text_[end] != '\r')
    end += text_[end] == '\\' ? 2U : 1U;
  end = std::min(end, text_.size());
  if (end < text_.size() && text_[end] == quote) {
    note_string({at + 1, end - at - 1});
    ++end;
  }
  before_ = ')';
  return end;
}

void MdxScript::note_string(TextRange inside) {
  const bool is_import = frames_.size() == 1 && frames_.back().mode == Frame::Mode::module && before_ == 'a' &&
                         (word_ == "from" || word_ == "import");
  if (is_import || is_after_call_of("require") || is_after_call_of("import")) files_.push_back(inside);
}

bool MdxScript::is_after_call_of(std::string_view name) const { return before_ == '(' && call_ == name; }

std::size_t MdxScript::after_slash(std::size_t at) {
  const std::string_view two = text_.substr(at, 2);
  if (two == "//") {
    const std::size_t end = find_line_break(text_, at);
    comments_.push_back({at, end - at});
    return end;
  }
  if (two == "/*") {
    const std::size_t end = at < open_comment_ ? find_linear(text_, "*/", at + 2) : failed;
    if (end == failed) {
      open_comment_ = std::min(open_comment_, at);
      return failed;
    }
    comments_.push_back({at, end + 2 - at});
    return end + 2;
  }
  const std::size_t end = may_begin_value() ? after_regular_expression(at) : failed;
  before_ = end == failed ? '/' : ')';
  return end == failed ? at + 1 : end;
}

std::size_t MdxScript::after_regular_expression(std::size_t at) {
  if (steps_left_ == 0) return failed;
  bool is_in_class = false;
  std::size_t end = at + 1;
  for (; end < text_.size() && text_[end] != '\n' && text_[end] != '\r'; ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == '[') {
      is_in_class = true;
    } else if (text_[end] == ']') {
      is_in_class = false;
    } else if (text_[end] == '/' && !is_in_class) {
      return end + 1;
    }
  }
  steps_left_ -= std::min(steps_left_, end - at);
  return failed;
}

std::size_t MdxScript::after_word(std::size_t at) {
  std::size_t end = at;
  while (end < text_.size() && is_of_word(text_[end])) ++end;
  word_ = text_.substr(at, end - at);
  before_ = 'a';
  return end;
}

// Returns true if "<" begins a tag and "/" begins a regular expression at the current position.
bool MdxScript::may_begin_value() const {
  constexpr std::array<std::string_view, 4> keywords{"return", "default", "case", "yield"};
  if (before_ == 'a') return std::ranges::find(keywords, word_) != keywords.end();
  return before_ == 0 || std::string_view("(,=?:&|{[;>!").find(before_) != std::string_view::npos;
}

std::size_t MdxScript::step_template(std::size_t at) {
  const std::size_t end = text_.find_first_of("`\\$", at);
  if (end == std::string_view::npos) return failed;
  if (text_[end] == '\\') return end + 2;
  if (text_[end] == '`') {
    frames_.pop_back();
    before_ = ')';
    return end + 1;
  }
  if (text_.substr(end, 2) != "${") return end + 1;
  frames_.push_back({.start = end + 1});
  before_ = '{';
  return end + 2;
}

// Begins the tag at a "<" in a script or in the children of a tag. Returns `failed` if there is no tag.
std::size_t MdxScript::open_tag(std::size_t at) {
  const std::size_t next = at + 1;
  if (next < text_.size() && text_[next] == '>') {
    frames_.push_back({.mode = Frame::Mode::children, .start = at});
    return next + 1;
  }
  if (next >= text_.size() || !begins_name(text_[next])) return failed;
  const std::size_t end = name_end(next);
  frames_.push_back({.mode = Frame::Mode::tag, .start = at, .element = {next, end - next}});
  return end;
}

void MdxScript::end_tag(bool has_children) {
  const bool is_outer = frames_.size() == 1;
  if (has_children && !is_outer) {
    frames_.back().mode = Frame::Mode::children;
  } else {
    frames_.pop_back();
    before_ = ')';
  }
}

std::size_t MdxScript::step_tag(std::size_t at) {
  at = skip_space(at);
  if (at >= text_.size()) return failed;
  switch (text_[at]) {
    case '>': end_tag(true); return at + 1;
    case '/':
      at = skip_space(at + 1);
      if (at >= text_.size() || text_[at] != '>') return failed;
      end_tag(false);
      return at + 1;
    case '{':
      frames_.push_back({.start = at});
      before_ = 0;
      return at + 1;
    default: return begins_name(text_[at]) ? step_attribute(at) : failed;
  }
}

std::size_t MdxScript::step_attribute(std::size_t at) {
  JsxAttribute attribute;
  attribute.element = frames_.back().element;
  attribute.is_in_script = frames_.size() > 1;
  attribute.end = name_end(at);
  attribute.name = {at, attribute.end - at};
  const std::size_t sign = skip_space(attribute.end);
  if (sign >= text_.size() || text_[sign] != '=') return attribute.end;
  const std::size_t start = skip_space(sign + 1);
  if (start >= text_.size()) return failed;
  const char quote = text_[start];
  if (quote == '"' || quote == '\'') {
    const std::size_t close = text_.find(quote, start + 1);
    if (close == std::string_view::npos) return failed;
    attribute.value = {start + 1, close - start - 1};
    attribute.end = close + 1;
    attribute.kind = JsxAttribute::Value::text;
    attributes_.push_back(attribute);
    return attribute.end;
  }
  attribute.kind = JsxAttribute::Value::other;
  if (quote == '<') return open_tag(start);
  if (quote != '{') return failed;
  attributes_.push_back(attribute);
  frames_.push_back({.start = start, .attribute = attributes_.size() - 1});
  before_ = 0;
  return start + 1;
}

std::size_t MdxScript::step_children(std::size_t at) {
  const std::size_t next = text_.find_first_of("{<", at);
  if (next == std::string_view::npos) return failed;
  if (text_[next] == '{') {
    frames_.push_back({.start = next});
    before_ = 0;
    return next + 1;
  }
  if (text_.substr(next, 2) == "</") {
    const std::size_t end = skip_space(name_end(next + 2));
    if (end >= text_.size() || text_[end] != '>') return failed;
    frames_.pop_back();
    before_ = ')';
    return end + 1;
  }
  const std::size_t after = open_tag(next);
  return after == failed ? next + 1 : after;
}

std::size_t MdxScript::skip_space(std::size_t at) const {
  bool begins_line = false;
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '\n' || c == '\r') begins_line = true;
    const bool is_quote_mark = is_in_quote_ && begins_line && c == '>';
    if (!is_quote_mark && !is_ascii_space(c)) break;
    if (is_quote_mark) begins_line = false;
  }
  return at;
}

std::size_t MdxScript::name_end(std::size_t at) const {
  if (at >= text_.size() || !begins_name(text_[at])) return at;
  while (at < text_.size() && is_of_name(text_[at])) ++at;
  return at;
}

}  // namespace linkherd::parser
