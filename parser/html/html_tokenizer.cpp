#include "parser/html/html_tokenizer.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

using Set = std::array<bool, 256>;

// A lookup table, because it is read for every character in a tag.
constexpr Set set_of(std::string_view characters) {
  Set set{};
  for (const char c : characters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr Set name_ends = set_of("\t\n\f\r />");
constexpr Set not_of_lower_case = set_of({"ABCDEFGHIJKLMNOPQRSTUVWXYZ\0", 27});
constexpr Set attribute_name_ends = set_of("\t\n\f\r />=");
constexpr Set value_ends = set_of("\t\n\f\r >");
constexpr Set xml_name_ends = set_of("\t\n\f\r />=<");
constexpr Set xml_value_ends = set_of("\t\n\f\r ><");

void skip_to(const Set& ends, std::string_view text, std::size_t& at) {
  while (at < text.size() && !ends[static_cast<unsigned char>(text[at])]) ++at;
}

}  // namespace

GumboTag ElementCache::find_tag(std::string_view name, std::uint64_t letters) {
  constexpr std::size_t max_known_name_bytes = 32;
  const bool may_be_known = !name.empty() && name.front() != '\0' && name.size() <= max_known_name_bytes;
  if (!may_be_known) return GUMBO_TAG_UNKNOWN;
  const auto search = [name] { return gumbo_tagn_enum(name.data(), static_cast<unsigned>(name.size())); };
  if (name.size() > sizeof letters) return search();
  // Maps nearly all elements of usual pages to different slots.
  const auto mixed = static_cast<unsigned char>(name.front()) * 33U + static_cast<unsigned char>(name.back()) * 37U;
  Element& element = elements_[(mixed + name.size()) % elements_.size()];
  if (element.letters != letters) element = {letters, search()};
  return element.id;
}

const HtmlAttribute* HtmlToken::find_attribute(std::string_view lower_case) const {
  const auto found = std::ranges::find_if(
      attributes, [&](const HtmlAttribute& attribute) { return equals_ignoring_case(attribute.name, lower_case); });
  return found == attributes.end() ? nullptr : &*found;
}

const HtmlToken* HtmlTokenizer::next() {
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    if (!read()) continue;
    token_.source = part(begin, at_);
    return &token_;
  }
  return nullptr;
}

// Reads one construct into `token_`. Returns false if the consumed text is not a token.
bool HtmlTokenizer::read() {
  if (text_[at_] == '<' && at_ + 1 < text_.size()) {
    const char next = text_[at_ + 1];
    const bool closing = next == '/';
    if (next == '!' || next == '?') return read_declaration();
    const char first = closing && at_ + 2 < text_.size() ? text_[at_ + 2] : next;
    const bool names = xml_ ? closing || !xml_name_ends[static_cast<unsigned char>(next)] : is_ascii_letter(first);
    if (names) return read_tag(closing);
    if (closing) return read_declaration();
  }
  token_.kind = HtmlToken::Kind::text;
  at_ = std::min(text_.find('<', at_ + 1), text_.size());
  return true;
}

bool HtmlTokenizer::read_tag(bool closing) {
  at_ += closing ? std::size_t{2} : std::size_t{1};
  token_.kind = closing ? HtmlToken::Kind::end_tag : HtmlToken::Kind::start_tag;
  token_.attributes.clear();
  token_.name_lengths = 0;
  token_.is_self_closing = false;
  token_.has_dropped_attributes = false;
  const std::uint64_t letters = read_name();
  token_.id = element_cache_.find_tag(token_.name, letters);
  while (at_ < text_.size() && text_[at_] != '>' && !(xml_ && text_[at_] == '<')) {
    if (is_ascii_space(text_[at_]) || text_[at_] == '/') {
      token_.is_self_closing = text_[at_] == '/';
      ++at_;
      continue;
    }
    token_.is_self_closing = false;
    HtmlAttribute attribute;
    if (!read_attribute(attribute)) return false;
    if (attribute.name.empty()) continue;
    if (token_.attributes.size() < max_attributes_) {
      token_.attributes.push_back(attribute);
      token_.name_lengths |= HtmlToken::bit_of_length(attribute.name);
    } else {
      token_.has_dropped_attributes = true;
    }
  }
  if (at_ >= text_.size()) return xml_;
  if (text_[at_] == '>') ++at_;
  return true;
}

// Reads the name of a tag into `token_`. Returns its last eight bytes.
std::uint64_t HtmlTokenizer::read_name() {
  const Set& ends = xml_ ? xml_name_ends : name_ends;
  const std::size_t begin = at_;
  bool is_lower = true;
  std::uint64_t letters = 0;
  for (; at_ < text_.size(); ++at_) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (ends[c]) break;
    is_lower = is_lower && !not_of_lower_case[c];
    letters = letters << 8U | c;
  }
  token_.name = part(begin, at_);
  if (is_lower) return letters;  // the usual case
  name_ = token_.name;
  std::erase(name_, '\0');
  std::ranges::transform(name_, name_.begin(), ascii_lower);
  token_.name = name_;
  letters = 0;
  for (const char c : name_) letters = letters << 8U | static_cast<unsigned char>(c);
  return letters;
}

// Returns false and consumes everything if the text ends inside the value.
bool HtmlTokenizer::read_attribute(HtmlAttribute& attribute) {
  const std::size_t begin = at_;
  ++at_;  // any character, even "=", begins the name
  skip_to(xml_ ? xml_name_ends : attribute_name_ends, text_, at_);
  attribute.name = part(begin, at_);
  skip_spaces();
  attribute.value = part(at_, at_);
  if (at_ >= text_.size() || text_[at_] != '=') {
    if (xml_) attribute.name = {};  // not an attribute in XML
    return true;
  }
  ++at_;
  skip_spaces();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  const bool quoted = quote == '"' || quote == '\'';
  const std::size_t value = quoted ? at_ + 1 : at_;
  if (!quoted) {
    skip_to(xml_ ? xml_value_ends : value_ends, text_, at_);
  } else {
    const std::array ends{quote, '<'};
    at_ = std::min(xml_ ? text_.find_first_of({ends.data(), 2}, value) : text_.find(quote, value), text_.size());
  }
  if (at_ >= text_.size() && !xml_) return false;
  attribute.value = part(value, at_);
  if (quoted && at_ < text_.size() && text_[at_] == quote) ++at_;
  return true;
}

// Reads what follows "<!", "<?" or "</": a comment, the doctype, a CDATA section, or a bogus comment.
bool HtmlTokenizer::read_declaration() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<!--")) {
    constexpr std::size_t opening = 4;
    if (!is_comment_end_missing_) {
      const std::size_t end = end_of_comment(at_ + opening);
      is_comment_end_missing_ = end == std::string_view::npos;
      return take_section(HtmlToken::Kind::comment, opening, end);
    }
    return take_section(HtmlToken::Kind::comment, opening, std::string_view::npos);
  }
  if (foreign_ && rest.starts_with("<![CDATA[")) {
    constexpr std::size_t opening = 9;
    const std::size_t end = is_cdata_end_missing_ ? std::string_view::npos : text_.find("]]>", at_ + opening);
    is_cdata_end_missing_ = end == std::string_view::npos;
    return take_section(HtmlToken::Kind::cdata, opening, is_cdata_end_missing_ ? end : end + 3);
  }
  token_.kind = HtmlToken::Kind::doctype;
  bool inside = false;  // inside the brackets of an XML doctype
  for (at_ += 2; at_ < text_.size() && (inside || text_[at_] != '>'); ++at_) {
    if (xml_ && (text_[at_] == '[' || text_[at_] == ']')) inside = text_[at_] == '[';
  }
  if (at_ < text_.size()) ++at_;
  return starts_ignoring_case(rest, "<!doctype");
}

// Reads a section that begins with `opening` bytes and ends at `end`. npos means that the section is unclosed.
bool HtmlTokenizer::take_section(HtmlToken::Kind kind, std::size_t opening, std::size_t end) {
  token_.kind = kind;
  if (end == std::string_view::npos && unclosed_ == Unclosed::as_markup) {
    at_ += opening;
    return false;
  }
  at_ = std::min(end, text_.size());
  return true;
}

std::size_t HtmlTokenizer::end_of_comment(std::size_t from) const {
  if (xml_) {
    const std::size_t end = text_.find("-->", from);
    return end == std::string_view::npos ? end : end + 3;
  }
  // "<!-->" and "<!--->" are complete comments.
  const std::string_view rest = text_.substr(from, 2);
  if (rest.starts_with('>')) return from + 1;
  if (rest == "->") return from + 2;
  for (std::size_t end = text_.find("--", from); end != std::string_view::npos; end = text_.find("--", end + 1)) {
    const std::string_view after = text_.substr(end + 2, 2);
    if (after.starts_with('>')) return end + 3;
    if (after == "!>") return end + 4;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> HtmlTokenizer::raw_text() {
  const std::size_t begin = at_;
  const std::size_t end = is_end_tag_missing_.test(token_.id) ? std::string_view::npos : end_of_raw_text();
  if (end == std::string_view::npos) {
    is_end_tag_missing_.set(token_.id);
    if (unclosed_ == Unclosed::as_markup) return std::nullopt;
  }
  at_ = std::min(end, text_.size());
  return text_.substr(begin, at_ - begin);
}

// Returns true if the name of the last token is at `at` and the end of a tag name or of the text follows.
bool HtmlTokenizer::has_name_at(std::size_t at) const {
  const std::string_view name = token_.name;
  const std::string_view rest = text_.substr(std::min(at, text_.size()), name.size() + 1);
  return starts_ignoring_case(rest, name) &&
         (rest.size() == name.size() || name_ends[static_cast<unsigned char>(rest.back())]);
}

// Returns the offset of the end tag that belongs to the last token.
std::size_t HtmlTokenizer::end_of_raw_text() {
  std::size_t end = text_.find("</", at_);
  while (end != std::string_view::npos && !has_name_at(end + 2)) end = text_.find("</", end + 2);
  const bool escaped = token_.id == GUMBO_TAG_SCRIPT && end != std::string_view::npos && !is_script_escape_missing_ &&
                       text_.substr(at_, end - at_).find("<!--") != std::string_view::npos;
  if (!escaped) return end;
  const std::size_t escaped_end = end_of_escaped_script();
  is_script_escape_missing_ = escaped_end == std::string_view::npos;
  return is_script_escape_missing_ ? end : escaped_end;
}

// Implements the states "script data escaped" and "double escaped" of the standard: after "<!--", a "<script" hides the
// next end tag. Returns npos if the escape never ends.
std::size_t HtmlTokenizer::end_of_escaped_script() const {
  bool escaped = false;
  bool twice = false;
  for (std::size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '-' && escaped && text_.substr(at, 3) == "-->") {
      escaped = twice = false;
    } else if (c == '<' && text_.substr(at, 4) == "<!--") {
      escaped = true;
    } else if (c == '<' && text_.substr(at, 2) == "</" && has_name_at(at + 2)) {
      if (!twice) return at;
      twice = false;
    } else if (c == '<' && escaped && has_name_at(at + 1)) {
      twice = true;
    }
  }
  return std::string_view::npos;
}

void HtmlTokenizer::skip_spaces() {
  while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
}

}  // namespace linkherd::parser
