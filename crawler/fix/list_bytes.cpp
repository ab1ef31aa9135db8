#include "crawler/fix/list_bytes.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/html/encodings.h"

namespace linkherd::crawler {
namespace {

std::string encoded(std::string_view ascii, std::string_view charset) {
  if (!charset.starts_with("utf-16")) return std::string(ascii);
  std::string units;
  for (const char c : ascii) charset == "utf-16be" ? units.append({'\0', c}) : units.append({c, '\0'});
  return units;
}

}  // namespace

ListBytes::ListBytes(std::string bytes, std::string_view text) : bytes_(std::move(bytes)), text_(text) {
  parser::DecodedText read = parser::decode_text(bytes_);
  charset_ = std::move(read.charset);
  errors_ = read.errors;
  is_same_text_ = read.text == text;
}

std::size_t ListBytes::signature_size() const {
  if (bytes_.starts_with("\xEF\xBB\xBF")) return 3;
  return bytes_.starts_with("\xFF\xFE") || bytes_.starts_with("\xFE\xFF") ? 2 : 0;
}

// For UTF-8 text with malformed bytes. These do not change the number of lines, and lines without them are the same in
// the text and the file.
std::optional<std::vector<std::size_t>> ListBytes::offsets_by_lines(const std::vector<std::size_t>& wanted) const {
  std::vector<std::size_t> offsets;
  std::size_t line = 0, line_in_bytes = signature_size();
  for (const std::size_t offset : wanted) {
    for (std::size_t end = text_.find('\n', line); end < offset; end = text_.find('\n', line)) {
      line = end + 1;
      line_in_bytes = bytes_.find('\n', line_in_bytes) + 1;
      if (line_in_bytes == 0) return std::nullopt;
    }
    const std::string_view before = text_.substr(line, offset - line);
    if (!std::string_view(bytes_).substr(line_in_bytes).starts_with(before)) return std::nullopt;
    offsets.push_back(line_in_bytes + before.size());
  }
  return offsets;
}

std::optional<std::vector<std::size_t>> ListBytes::offsets_of(const std::vector<std::size_t>& wanted) const {
  const std::size_t start = signature_size();
  const parser::Encoding* const encoding = parser::find_encoding(charset_);
  if (encoding == nullptr) return std::nullopt;
  std::vector<std::size_t> offsets;
  if (encoding->kind != parser::EncodingKind::utf8) {
    offsets = parser::source_offsets(std::string_view(bytes_).substr(start), *encoding, wanted);
    for (std::size_t& offset : offsets) offset += start;
  } else if (errors_ > 0) {
    return offsets_by_lines(wanted);
  } else {
    for (const std::size_t offset : wanted) offsets.push_back(offset + start);
  }
  return offsets.size() == wanted.size() ? std::optional(std::move(offsets)) : std::nullopt;
}

bool ListBytes::is_plain_utf8() const {
  return is_utf8() && std::string_view(bytes_).substr(signature_size()) == text_;
}

std::optional<std::vector<TextEdit>> ListBytes::edits_of_bytes(const std::vector<TextEdit>& edits,
                                                               std::string_view new_text) const {
  if (is_plain_utf8()) {
    std::vector<TextEdit> shifted = edits;
    for (TextEdit& edit : shifted) edit.offset += signature_size();
    return shifted;
  }
  std::vector<std::size_t> wanted;
  for (const TextEdit& edit : edits) {
    if (!is_utf8() && !parser::is_ascii(edit.text)) return std::nullopt;
    wanted.insert(wanted.end(), {edit.offset, edit.offset + edit.length});
  }
  const std::optional<std::vector<std::size_t>> offsets = offsets_of(wanted);
  if (!offsets) return std::nullopt;
  std::vector<TextEdit> of_bytes;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const std::size_t begin = (*offsets)[2 * i], end = (*offsets)[2 * i + 1];
    of_bytes.push_back({begin, end - begin, encoded(edits[i].text, charset_)});
  }
  const parser::DecodedText read = parser::decode_text(with_edits(bytes_, of_bytes));
  if (read.charset != charset_ || read.text != new_text) return std::nullopt;
  return of_bytes;
}

}  // namespace linkherd::crawler
