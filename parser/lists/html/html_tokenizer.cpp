#include "parser/lists/html/html_tokenizer.h"

#include <algorithm>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

// The attributes that links and names stand in. Keeping only these bounds the memory of a tag with a million
// attributes.
constexpr std::array<std::string_view, 26> kept_attributes{
    "href",       "src",        "srcset",      "content",    "http-equiv", "action",
    "formaction", "poster",     "data",        "alt",        "title",      "rel",
    "type",       "aria-label", "imagesrcset", "id",         "name",       "data-proofer-ignore",
    "cite",       "ping",       "code",        "background", "longdesc",   "manifest",
    "srcdoc",     "xlink:href"};

// Elements whose content is text whatever it looks like.
constexpr std::array<std::string_view, 8> raw_elements{"script", "style",  "textarea", "title",
                                                       "xmp",    "iframe", "noembed",  "noframes"};

}  // namespace

const HtmlAttributeValue* HtmlToken::attribute(std::string_view attribute_name) const {
  const auto found = std::ranges::find(attributes, attribute_name, &HtmlAttributeValue::name);
  return found == attributes.end() ? nullptr : &*found;
}

const HtmlToken* HtmlTokenizer::next() {
  while (!done()) {
    token_.attributes.clear();
    token_.name.clear();
    token_.offset = at_;
    if (!raw_element_.empty() && read_raw_text()) return &token_;
    if (text_[at_] != '<') {
      read_text();
      return &token_;
    }
    if (read_markup()) return &token_;
  }
  return nullptr;
}

// At "<". False where it begins no token: a declaration, a comment or a tag that never ends.
bool HtmlTokenizer::read_markup() {
  const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (is_ascii_letter(second)) return read_tag(false);
  if (second == '/') {
    if (at_ + 2 < text_.size() && is_ascii_letter(text_[at_ + 2])) return read_tag(true);
    return read_declaration();
  }
  if (second == '!' || second == '?') return read_declaration();
  read_text();
  return true;
}

void HtmlTokenizer::read_text() {
  at_ = std::min(text_.find('<', at_ + 1), text_.size());
  token_.kind = HtmlToken::Kind::text;
  token_.length = at_ - token_.offset;
}

// True for a comment.
bool HtmlTokenizer::read_declaration() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<!-->") || rest.starts_with("<!--->")) {
    at_ = text_.find('>', at_) + 1;
    return false;
  }
  if (rest.starts_with("<!--") && !comment_end_gone_) {
    for (std::size_t end = text_.find("--", at_ + 4); end != std::string_view::npos; end = text_.find("--", end + 1)) {
      const std::string_view after = text_.substr(end + 2, 2);
      if (after.starts_with('>') || after == "!>") {
        at_ = end + (after.front() == '>' ? 3 : 4);
        token_.kind = HtmlToken::Kind::comment;
        token_.length = at_ - token_.offset;
        return true;
      }
    }
    comment_end_gone_ = true;
  }
  if (rest.starts_with("<!--")) {  // a comment that never ends would hide all links behind it
    at_ += 4;
    return false;
  }
  at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
  return false;
}

bool HtmlTokenizer::read_tag(bool end_tag) {
  at_ += end_tag ? 2 : 1;
  const std::size_t start = at_;
  while (!done() && !is_ascii_space(text_[at_]) && text_[at_] != '/' && text_[at_] != '>') ++at_;
  token_.name = to_ascii_lower(text_.substr(start, std::min<std::size_t>(at_ - start, 64)));
  token_.kind = end_tag ? HtmlToken::Kind::end_tag : HtmlToken::Kind::start_tag;
  read_attributes();
  if (done()) return false;  // as in the standard: a tag that the end of the text cuts is none
  ++at_;                     // ">"
  token_.length = at_ - token_.offset;
  if (!end_tag && is_one_of(raw_elements, token_.name)) raw_element_ = token_.name;
  return true;
}

// Up to the ">" of the tag, or the end of the text.
void HtmlTokenizer::read_attributes() {
  while (!done()) {
    while (!done() && (is_ascii_space(text_[at_]) || text_[at_] == '/')) ++at_;
    if (done() || text_[at_] == '>') return;
    read_attribute();
  }
}

void HtmlTokenizer::read_attribute() {
  const std::size_t start = at_;
  ++at_;  // whatever it is, "=" included, it begins the name
  while (!done() && !is_ascii_space(text_[at_]) && std::string_view("/>=").find(text_[at_]) == std::string_view::npos)
    ++at_;
  const std::string_view name = text_.substr(start, at_ - start);
  skip_spaces();
  std::pair<std::size_t, std::size_t> value{at_, 0};
  if (!done() && text_[at_] == '=') {
    ++at_;
    skip_spaces();
    value = read_value();
  }
  if (token_.kind != HtmlToken::Kind::start_tag || name.size() > 20) return;
  std::string lower = to_ascii_lower(name);
  if (!is_one_of(kept_attributes, lower) || token_.attribute(lower) != nullptr) return;
  token_.attributes.push_back({std::move(lower), value.first, value.second});
}

std::pair<std::size_t, std::size_t> HtmlTokenizer::read_value() {
  if (done() || text_[at_] == '>') return {at_, 0};
  if (const char quote = text_[at_]; quote == '"' || quote == '\'') {
    const std::size_t start = at_ + 1;
    const std::size_t end = std::min(text_.find(quote, start), text_.size());
    at_ = std::min(end + 1, text_.size());
    return {start, end - start};
  }
  const std::size_t start = at_;
  while (!done() && !is_ascii_space(text_[at_]) && text_[at_] != '>') ++at_;
  return {start, at_ - start};
}

void HtmlTokenizer::skip_spaces() {
  while (!done() && is_ascii_space(text_[at_])) ++at_;
}

// The content of a raw element. False where its end tag never comes: then its content is read as any other, because a
// lone "<script>" in a list hides no links.
bool HtmlTokenizer::read_raw_text() {
  const std::string element = std::exchange(raw_element_, {});
  auto terminator = std::ranges::find(terminators_, element, &Terminator::text);
  if (terminator == terminators_.end()) terminator = terminators_.insert(terminator, {element, false});
  const std::size_t end = find_terminator(*terminator, at_);
  if (end == std::string_view::npos || end == at_) return false;
  at_ = end;
  token_.kind = HtmlToken::Kind::raw_text;
  token_.name = element;
  token_.length = at_ - token_.offset;
  return true;
}

// Where "</name" comes from `from` on.
std::size_t HtmlTokenizer::find_terminator(Terminator& terminator, std::size_t from) const {
  if (terminator.gone) return std::string_view::npos;
  for (std::size_t at = text_.find("</", from); at != std::string_view::npos; at = text_.find("</", at + 2)) {
    const std::string_view name = text_.substr(at + 2, terminator.text.size() + 1);
    if (name.size() <= terminator.text.size()) continue;
    const char after = name.back();
    if (starts_ignoring_case(name, terminator.text) && (is_ascii_space(after) || after == '/' || after == '>'))
      return at;
  }
  terminator.gone = true;
  return std::string_view::npos;
}

}  // namespace linkherd::parser
