#include "parser/lists/data/json_scanner.h"

#include <algorithm>

#include "parser/ascii.h"

namespace linkherd::parser {
void JsonScanner::skip_space() {
  while (at_ < text_.size() && (is_ascii_space(text_[at_]) || text_[at_] == ',' || text_[at_] == ':')) ++at_;
}

std::optional<JsonToken> JsonScanner::next() {
  using Kind = JsonToken::Kind;
  skip_space();
  if (at_ >= text_.size()) return std::nullopt;
  const auto single = [&](Kind kind) { return JsonToken{kind, {at_++, 1}}; };
  switch (text_[at_]) {
    case '{': return single(Kind::open_object);
    case '}': return single(Kind::close_object);
    case '[': return single(Kind::open_array);
    case ']': return single(Kind::close_array);
    case '"': return read_string();
    case '/':
      if (text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "/*") return read_comment();
      break;
    default: break;
  }
  const std::size_t start = at_++;
  while (at_ < text_.size() && !is_ascii_space(text_[at_]) &&
         std::string_view(",:{}[]\"/").find(text_[at_]) == std::string_view::npos)
    ++at_;
  return JsonToken{Kind::scalar, {start, at_ - start}};
}

JsonToken JsonScanner::read_string() {
  const std::size_t start = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2U : 1U;
  }
  at_ = std::min(at_, text_.size());
  JsonToken token{JsonToken::Kind::string, {start, at_ - start}};
  if (at_ < text_.size()) ++at_;
  while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] == ':') {
    token.kind = JsonToken::Kind::key;
    ++at_;
  }
  return token;
}

JsonToken JsonScanner::read_comment() {
  const std::size_t start = at_;
  std::size_t end = std::string_view::npos;
  if (text_[at_ + 1] == '/') {
    end = std::min(text_.find('\n', at_), text_.size());
  } else if (!comment_end_gone_) {
    end = text_.find("*/", at_ + 2);
    comment_end_gone_ = end == std::string_view::npos;
    if (!comment_end_gone_) end += 2;
  }
  at_ = end == std::string_view::npos ? at_ + 2 : end;  // one that never ends would hide what follows
  return {JsonToken::Kind::comment, {start, at_ - start}};
}

}  // namespace linkherd::parser
