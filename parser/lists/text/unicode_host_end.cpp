#include "parser/lists/text/unicode_host_end.h"

#include <algorithm>
#include <string>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/lists/text/bare_url_end.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_suffix_letters = 8;  // of a non-ASCII public suffix that text directly follows

// Returns true for "。", "．" and "｡", which IDNA maps to dots.
constexpr bool is_ideographic_dot(char32_t c) { return c == 0x3002 || c == 0xFF0E || c == 0xFF61; }

// Reads a host name label by label. `name_` is the part read so far, with ASCII dots.
class HostNameReader {
 public:
  explicit HostNameReader(std::string_view text) : text_(text.substr(0, max_host_bytes)) {}

  std::size_t length() {
    while (at_ < text_.size() && read_character()) {
    }
    if (!is_over_) end_label(true);
    return length_;
  }

 private:
  bool read_character() {
    const CodePoint point = decode_utf8(text_, at_);
    const bool is_ideographic = is_ideographic_dot(point.value);
    if (point.value == '.' || is_ideographic) return read_dot(is_ideographic, point.length);
    if (is_ascii(text_[at_])) {
      if (!is_ascii_alphanumeric(text_[at_]) && text_[at_] != '-' && text_[at_] != '_') return false;
    } else {
      const UrlCharacter kind = point.valid ? classify_url_character(point.value) : UrlCharacter::end;
      if (kind == UrlCharacter::end) return false;
      if (kind == UrlCharacter::ideograph) note_ideograph();
      if (is_over_) return false;
    }
    name_.append(text_.substr(at_, point.length));
    at_ += point.length;
    return true;
  }

  // Ends the host name before an ideograph if the ASCII letters before it complete the name: "cn" in "中文.cn查看".
  void note_ideograph() {
    if (ideographs_.empty() && name_.size() > label_ && is_complete_host(name_)) {
      length_ = at_;
      is_over_ = true;
    }
    ideographs_.push_back(name_.size());
  }

  bool read_dot(bool is_ideographic, std::size_t bytes) {
    end_label(false);
    // A sentence ends with an ideographic full stop, and "b" in "访问www.b" begins another host.
    if (name_.size() == label_ || (is_ideographic && length_ != 0) || is_over_) return is_over_ = true, false;
    at_ += bytes;
    name_ += '.';
    label_ = name_.size();
    ideographs_.clear();
    return true;
  }

  // If `is_last` is true, text may follow in the same label.
  void end_label(bool is_last) {
    const std::string_view label = std::string_view(name_).substr(label_);
    const bool begins_other_host = !ideographs_.empty() && label.size() > 3 && label.ends_with("www");
    const bool is_no_label = label.empty() || begins_other_host;
    const bool is_public = !is_no_label && is_public_host_name(name_);
    // The host was complete, and a sentence follows: "中文.cn.然后".
    const bool begins_sentence = !is_public && length_ != 0 && !ideographs_.empty();
    if (is_no_label || begins_sentence) {
      is_over_ = true;
    } else if (is_public) {
      length_ = at_;
    } else if (is_last && length_ == 0 && !ideographs_.empty() && ideographs_.front() == label_) {
      length_ = length_of_suffix();
    }
  }

  // Returns the length of the host up to a public suffix that begins the last label, such as "中国" in "中国查看".
  std::size_t length_of_suffix() const {
    const std::size_t letters = std::min(ideographs_.size(), max_suffix_letters + 1);
    for (std::size_t count = letters; count > 1; --count) {
      const std::size_t end = ideographs_[count - 1];
      if (is_public_host_name(std::string_view(name_).substr(0, end))) return at_ - (name_.size() - end);
    }
    return 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string name_;
  std::size_t label_ = 0;                // start of the last label in `name_`
  std::vector<std::size_t> ideographs_;  // positions of the ideographs of the last label
  std::size_t length_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::size_t unicode_host_length(std::string_view text) { return HostNameReader(text).length(); }

bool is_complete_host(std::string_view name) {
  if (starts_ignoring_case(name, "www.")) name.remove_prefix(4);
  const bool is_address = name.find('.') != std::string_view::npos &&
                          std::ranges::all_of(name, [](char c) { return is_ascii_digit(c) || c == '.'; });
  return is_address || equals_ignoring_case(name, "localhost") || is_public_host_name(name);
}

}  // namespace linkherd::parser
