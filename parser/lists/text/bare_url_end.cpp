#include "parser/lists/text/bare_url_end.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <gumbo.h>

#include "parser/ascii.h"
#include "parser/lists/text/unicode_host_end.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  UrlCharacter kind;
};

using enum UrlCharacter;

// Sorted. Code points outside these ranges are letters. Combining marks count as letters, because they never start a
// word.
constexpr std::array<Range, 31> ranges{
    {{0x0080, 0x00A9, end},        // C1 controls, "¡" … "©"
     {0x00AB, 0x00B4, end},        // "«" … "´", but not "ª"
     {0x00B6, 0x00B9, end},        // "¶" "·" "¸" "¹", but not "µ"
     {0x00BB, 0x00BF, end},        // "»" … "¿", but not "º"
     {0x0E00, 0x0EFF, ideograph},  // Thai, Lao
     {0x0F00, 0x0FFF, ideograph},  // Tibetan
     {0x1000, 0x109F, ideograph},  // Myanmar
     {0x1100, 0x11FF, ideograph},  // Hangul Jamo: particles follow without a space
     {0x1680, 0x1680, end},        // Ogham space
     {0x1780, 0x17FF, ideograph},  // Khmer
     {0x1806, 0x180E, end},        // Mongolian hyphens and separators
     {0x2000, 0x206F, end},        // spaces, dashes, quotes, direction marks
     {0x20A0, 0x20CF, end},        // currency
     {0x2100, 0x2BFF, end},        // arrows, operators, boxes, dingbats
     {0x2E00, 0x2E7F, end},        // more punctuation
     {0x2E80, 0x2FFF, ideograph},  // radicals
     {0x3000, 0x3004, end},        // ideographic space, "、" "。" "〃"
     {0x3005, 0x3007, ideograph},  // "々" "〆" "〇"
     {0x3008, 0x3020, end},        // "〈" … "〠"
     {0x3021, 0x302F, ideograph},  {0x3030, 0x3030, end}, {0x3031, 0x31FF, ideograph},  // Kana, Bopomofo
     {0x3200, 0x33FF, end},                                                             // enclosed and squared signs
     {0x3400, 0xA4CF, ideograph},                                                       // Han, Yi
     {0xAC00, 0xD7FF, ideograph},                                                       // Hangul
     {0xE000, 0xF8FF, end},                                                             // private use
     {0xF900, 0xFAFF, ideograph},  {0xFE00, 0xFE6F, end},  // variation selectors, vertical and small forms
     {0xFEFF, 0xFFFF, end},                                // full-width forms, specials
     {0x1F000, 0x1FAFF, end},                              // emoji
     {0x20000, 0x3FFFF, ideograph}}};

constexpr std::size_t max_open_brackets = 16;
constexpr std::size_t max_placeholder_bytes = 64;
constexpr std::size_t max_emoji_bytes = 64;  // maximum length of consecutive emoji
constexpr std::size_t max_user_bytes = 255;

constexpr bool is_control_or_space(char c) { return (static_cast<unsigned char>(c) <= 0x20) || c == 0x7F; }

// Returns true for a character after which ideographs are part of the URL: "/wiki/人工智能", "?q=人工", "foo-中文".
constexpr bool allows_ideographs_after(char c) { return std::string_view("/=#_-:+").find(c) != std::string_view::npos; }

// Character references for characters that end a URL.
constexpr std::array<std::string_view, 9> ending_references{"&lt;",  "&gt;",  "&quot;", "&nbsp;", "&#34;",
                                                            "&#39;", "&#60;", "&#62;",  "&#160;"};

class EndFinder {
 public:
  EndFinder(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context)
      : text_(text), start_(start), host_(host), at_(host), name_(host), markup_(context == BareUrlContext::markup) {
    if (start > 0) before_ = text[start - 1];
  }

  std::size_t find() {
    if (!read_host()) return start_;
    read_rest();
    if (!open_.empty()) at_ = open_.front().second;  // an unmatched bracket is not part of the URL
    trim();
    return std::any_of(text_.begin() + static_cast<std::ptrdiff_t>(host_),
                       text_.begin() + static_cast<std::ptrdiff_t>(at_),
                       [](char c) { return is_ascii_alphanumeric(c) || !is_ascii(c) || c == '}'; })
               ? at_
               : start_;
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char previous() const { return text_[at_ - 1]; }
  bool escape_here() const {
    return markup_ && text_[at_] == '\\' && at_ + 1 < text_.size() && is_ascii_punctuation(text_[at_ + 1]);
  }
  std::string_view rest() const { return text_.substr(at_); }

  // Returns false if there is no valid host.
  bool read_host() {
    if (!done() && text_[at_] == '[') {
      const std::size_t close = rest().find_first_not_of("0123456789abcdefABCDEF:.%", 1);
      if (close == std::string_view::npos || text_[at_ + close] != ']') return false;
      at_ += close + 1;
    }
    while (!done() && read_host_character()) {
    }
    return at_ > host_;
  }

  bool read_host_character() {
    const char c = text_[at_];
    if (name_end_ != 0 && at_ >= name_end_) return read_port();
    if (c == '@') {
      name_ = at_ + 1;
      has_ideographs_ = false;
    }
    if (is_ascii_alphanumeric(c) || std::string_view("-._%:@").find(c) != std::string_view::npos) return ++at_, true;
    if (c == '{' || c == '$') return read_host_placeholder();
    if (c == '<') return read_placeholder_tag();
    if (escape_here() && std::string_view("-_.").find(text_[at_ + 1]) != std::string_view::npos) return at_ += 2, true;
    if (is_ascii(c)) return false;
    const CodePoint point = decode_utf8(text_, at_);
    const UrlCharacter kind = point.valid ? classify_url_character(point.value) : UrlCharacter::end;
    // An ideographic full stop is a dot if the host continues after it.
    if (kind == UrlCharacter::end && name_end_ == 0) return false;
    if (kind == UrlCharacter::ideograph && !ideograph_may_be_in_host()) return false;
    has_ideographs_ = has_ideographs_ || kind == UrlCharacter::ideograph;
    at_ += point.length;
    return true;
  }

  // Reads a port such as ":8080", which is all that may follow a host name with a known end. Always returns false,
  // which ends the host.
  bool read_port() {
    if (text_[at_] != ':') return false;
    const std::size_t digits = std::min(text_.find_first_not_of("0123456789", at_ + 1), text_.size());
    if (digits > at_ + 1) at_ = digits;
    return false;
  }

  // Reads "{host}", "${HOST}", "$HOST".
  bool read_host_placeholder() {
    const std::size_t brace = text_[at_] == '$' ? 1 : 0;
    if (at_ + brace < text_.size() && text_[at_ + brace] == '{') {
      const std::size_t close = rest().substr(0, max_placeholder_bytes).find('}');
      if (close == std::string_view::npos) return false;
      at_ += close + 1;
      return true;
    }
    if (brace == 0 || at_ + 1 >= text_.size() || !is_ascii_letter(text_[at_ + 1])) return false;
    ++at_;
    return true;
  }

  bool read_placeholder_tag() {
    const std::size_t length = placeholder_tag_length(rest());
    at_ += length;
    return length != 0;
  }

  // Returns true if the ideograph at the current position may be in the host. Ideographs are part of a host name that
  // they complete: "plain.中文-h2.com". They may also begin a host or form a whole label.
  bool ideograph_may_be_in_host() {
    if (has_ideographs_) return true;
    const bool begins_label = at_ == name_ || previous() == '.';
    if (!begins_label && is_complete_host(text_.substr(name_, at_ - name_))) return false;
    if (at_ == name_ && user_ends_here()) return true;
    const std::size_t length = unicode_host_length(text_.substr(name_));
    if (name_ + length > at_) {
      name_end_ = name_ + length;
      return true;
    }
    return at_ == host_ || (previous() == '.' && is_label_of_ideographs());
  }

  // Returns true before a user name such as "用户@" in "http://用户@a.cn/".
  bool user_ends_here() const {
    const std::string_view user = rest().substr(0, max_user_bytes);
    const std::size_t end = user.find_first_of("@/?# \t\r\n<>\"");
    return end != std::string_view::npos && user[end] == '@';
  }

  bool is_label_of_ideographs() const {
    std::size_t end = at_;
    while (end < text_.size() && static_cast<unsigned char>(text_[end]) >= 0x80 && end - at_ < 63) ++end;
    return end + 1 < text_.size() && text_[end] == '.' && is_ascii_letter(text_[end + 1]);
  }

  void read_rest() {
    if (done() || std::string_view("/?#").find(text_[at_]) == std::string_view::npos) return;
    path_ = at_;
    while (!done() && read_character()) {
    }
  }

  bool read_character() {
    const char c = text_[at_];
    if (!is_ascii(c)) return read_beyond_ascii();
    if (is_control_or_space(c)) return false;
    switch (c) {
      case '"':
      case '`':
      case '>': return false;
      case '<': return read_template_expression() || read_placeholder_tag();
      case '\\':
        if (!escape_here()) return false;
        ++at_;  // skip the escaped character
        ++at_;
        return true;
      case '*':
        if (markup_ && text_.substr(at_, 2) == "**") return false;  // emphasis
        break;
      case '\'':
        if (before_ == '\'') return false;
        break;
      case '|':
        if (!in_query_) return false;
        break;
      case '&':
        if (markup_ && ending_reference_here()) return false;
        break;
      case '?':
      case '#': in_query_ = true; break;
      case ',':
      case ';':
        if (scheme_at(at_ + 1)) return false;
        break;
      case 'h':
        if (is_ascii_alphanumeric(previous()) && at_ > path_ && scheme_at(at_)) return false;  // two adjacent URLs
        break;
      case '{':
        if (read_template_expression()) return true;
        return read_bracket(c);
      case '(':
      case '[':
      case ')':
      case ']':
      case '}': return read_bracket(c);
      default: break;
    }
    ++at_;
    return true;
  }

  // Reads "{{ id }}", "{% id %}", "<%= id %>" or "<?= $id ?>", which a template engine replaces. The rest of the URL
  // alone would be another one.
  bool read_template_expression() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> delimiters{
        {{"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}, {"<?", "?>"}}};
    const std::string_view head = rest().substr(0, max_placeholder_bytes);
    for (const auto& [open, close] : delimiters) {
      const std::size_t end = head.starts_with(open) ? head.find(close, open.size()) : std::string_view::npos;
      if (end == std::string_view::npos || head.substr(0, end).find('\n') != std::string_view::npos) continue;
      at_ += end + close.size();
      return true;
    }
    return false;
  }

  // Reads a bracket. A closing bracket that was not opened in the URL belongs to the sentence.
  bool read_bracket(char c) {
    if (c == '(' || c == '[' || c == '{') {
      if (open_.size() == max_open_brackets) return false;
      open_.emplace_back(c == '(' ? ')' : static_cast<char>(c + 2), at_);
    } else {
      if (open_.empty() && continues_after(c)) return ++at_, true;
      if (open_.empty() || open_.back().first != c) return false;
      open_.pop_back();
      has_pair_ = true;
    }
    ++at_;
    return true;
  }

  // Returns true if the URL continues after an unmatched bracket, as in "?q=(business))+ok". As in GFM, only brackets
  // at the very end belong to the sentence.
  bool continues_after(char c) const {
    return c == ')' && markup_ && in_query_ && has_pair_ && at_ + 1 < text_.size() && text_[at_ + 1] == '+';
  }

  bool read_beyond_ascii() {
    const CodePoint point = decode_utf8(text_, at_);
    if (!point.valid) return false;
    const UrlCharacter kind = classify_url_character(point.value);
    if (kind == UrlCharacter::end) return read_emoji();
    if (kind == UrlCharacter::ideograph && !ideograph_may_follow()) return false;
    has_ideographs_ = has_ideographs_ || kind == UrlCharacter::ideograph;
    at_ += point.length;
    return true;
  }

  // Reads emoji, which are part of a URL only if it continues after them: "https://a.cn/😀/x".
  bool read_emoji() {
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < max_emoji_bytes && static_cast<unsigned char>(text_[end]) >= 0x80) {
      const CodePoint point = decode_utf8(text_, end);
      if (!point.valid || !is_emoji(point.value)) return false;
      end += point.length;
    }
    const bool continues = end > at_ && end + 1 < text_.size() &&
                           std::string_view("/?#=&-_").find(text_[end]) != std::string_view::npos &&
                           is_ascii_alphanumeric(text_[end + 1]);
    if (continues) at_ = end;
    return continues;
  }

  // Directly after the "/" that follows the host, ideographs are text ("见https://a.cn/查看"). Deeper in the path they
  // are names ("/wiki/人工智能"). A URL that already has ideographs may have more.
  bool ideograph_may_follow() const {
    return has_ideographs_ || (allows_ideographs_after(previous()) && (in_query_ || at_ > path_ + 1));
  }

  bool scheme_at(std::size_t at) const {
    const std::string_view next = text_.substr(std::min(at, text_.size()), 8);
    return starts_ignoring_case(next, "http://") || starts_ignoring_case(next, "https://");
  }

  bool ending_reference_here() const {
    return std::ranges::any_of(ending_references,
                               [&](std::string_view reference) { return starts_ignoring_case(rest(), reference); });
  }

  // Removes trailing characters that belong to the sentence around the URL.
  void trim() {
    while (at_ > host_ && (trim_character() || trim_reference() || trim_footnote())) {
    }
  }

  bool trim_character() {
    const char last = previous();
    const bool sentence = std::string_view(".,;:!?'\"*|").find(last) != std::string_view::npos;
    // URLs may end in "_" and "~". If they are emphasis marks, the same mark also precedes the URL.
    const bool emphasis = (last == '_' || last == '~') && before_ == last;
    if ((last == ';' && markup_ && reference_at_end() != 0) || (!sentence && !emphasis)) return false;
    const bool escaped = at_ >= host_ + 2 && text_[at_ - 2] == '\\';
    at_ -= escaped ? 2U : 1U;
    return true;
  }

  bool trim_reference() {
    const std::size_t length = markup_ ? reference_at_end() : 0;
    at_ -= length;
    return length != 0;
  }

  std::size_t reference_at_end() const {
    if (at_ <= host_ || previous() != ';') return 0;
    std::size_t start = at_ - 1;
    while (start > host_ && at_ - start < 34 && (is_ascii_alphanumeric(text_[start - 1]) || text_[start - 1] == '#'))
      --start;
    return start > host_ && start < at_ - 1 && text_[start - 1] == '&' ? at_ - (start - 1) : 0;
  }

  // Removes a footnote such as "[1]" or "[^note]" after a path. In a query it may be an index.
  bool trim_footnote() {
    if (in_query_ || previous() != ']') return false;
    const std::string_view url = text_.substr(host_, at_ - host_);
    const std::size_t open = url.rfind('[');
    if (open == std::string_view::npos || open == 0) return false;
    const std::string_view inside = url.substr(open + 1, url.size() - open - 2);
    if (inside.empty() || !(inside.front() == '^' || std::ranges::all_of(inside, is_ascii_digit))) return false;
    at_ = host_ + open;
    return true;
  }

  std::string_view text_;
  std::size_t start_;
  std::size_t host_;
  std::size_t at_;
  std::size_t name_;          // start of the host name, after the user name
  std::size_t name_end_ = 0;  // end of a host name with ideographs, if known; otherwise 0
  bool markup_;
  char before_ = ' ';
  std::size_t path_ = 0;  // end of the host
  bool in_query_ = false;
  bool has_ideographs_ = false;
  bool has_pair_ = false;                           // the URL contains a pair of matched brackets
  std::vector<std::pair<char, std::size_t>> open_;  // closing character and offset of each open bracket
};

}  // namespace

std::size_t placeholder_tag_length(std::string_view text) {
  const std::string_view head = text.substr(0, max_placeholder_bytes);
  if (head.size() < 3 || head.front() != '<' || !is_ascii_letter(head[1])) return 0;
  const std::size_t close =
      head.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- .", 1);
  if (close == std::string_view::npos || head[close] != '>') return 0;
  const std::string_view name = head.substr(1, std::min(close, head.find(' ')) - 1);
  return gumbo_tagn_enum(name.data(), static_cast<unsigned>(name.size())) == GUMBO_TAG_UNKNOWN ? close + 1 : 0;
}

bool is_placeholder_tag(std::string_view text) { return !text.empty() && placeholder_tag_length(text) == text.size(); }

std::size_t find_bare_url_end(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context) {
  return EndFinder(text, start, host, context).find();
}

bool is_emoji(char32_t code_point) {
  return (code_point >= 0x1F000 && code_point <= 0x1FAFF) || (code_point >= 0x2600 && code_point <= 0x27BF) ||
         code_point == 0x200D || code_point == 0xFE0F;
}

UrlCharacter classify_url_character(char32_t code_point) {
  const auto* found = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  if (found == ranges.end()) return end;  // tag characters and the private use planes
  return code_point >= found->first ? found->kind : letter;
}

}  // namespace linkherd::parser
