#include "parser/lists/xml_tokenizer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_attributes = 64;
constexpr std::size_t max_reference_bytes = 12;

constexpr bool ends_name(char c) { return is_ascii_space(c) || c == '/' || c == '>' || c == '=' || c == '<'; }

struct Entity {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<Entity, 5> entities{{{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}}};

// What the reference "&…;" says, of which `name` is the inside; empty where it is not one that XML itself knows.
std::string meaning_of(std::string_view name) {
  const auto* known = std::ranges::find(entities, name, &Entity::name);
  if (known != entities.end()) return std::string(known->meaning);
  if (name.size() < 2 || name.front() != '#') return {};
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  std::string meaning;
  const bool is_character = value != 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  append_utf8(meaning, is_character ? static_cast<char32_t>(value) : replacement_character);
  return meaning;
}

}  // namespace

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

void unescape_xml(std::string_view list, TextRange range, MappedText& text) {
  const std::size_t end = range.offset + range.length;
  list = list.substr(0, end);
  for (std::size_t at = range.offset; at < end;) {
    const std::size_t ampersand = std::min(list.find('&', at), end);
    text.copy(list, {at, ampersand - at});
    if (ampersand == end) return;
    const std::size_t length = list.substr(ampersand, max_reference_bytes).find(';');
    const std::string meaning =
        length == std::string_view::npos ? std::string() : meaning_of(list.substr(ampersand + 1, length - 1));
    if (meaning.empty()) {
      text.copy(list, {ampersand, 1});
      at = ampersand + 1;
    } else {
      text.stand_for({ampersand, length + 1}, meaning);
      at = ampersand + length + 1;
    }
  }
}

}  // namespace linkherd::parser
