// Maps edits of a document's text to edits of its bytes, in the encoding of the file. All other bytes stay as they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fix/rewrite_list.h"

namespace linkherd::crawler {

class ListBytes {
 public:
  // `text`: the text that was read from the file before; it must outlive this object.
  ListBytes(std::string bytes, std::string_view text);

  const std::string& bytes() const { return bytes_; }
  bool is_same_text() const { return is_same_text_; }  // false if the file has changed since then
  // Returns true if edits may contain non-ASCII characters.
  bool is_utf8() const { return charset_ == "utf-8"; }

  // Returns the same edits for the bytes, encoded like the file. `new_text`: the text after the edits. Returns nullopt
  // if the positions cannot be mapped or if the new bytes would not decode to `new_text`.
  std::optional<std::vector<TextEdit>> edits_of_bytes(const std::vector<TextEdit>& edits,
                                                      std::string_view new_text) const;

 private:
  std::optional<std::vector<std::size_t>> offsets_of(const std::vector<std::size_t>& text_offsets) const;
  std::optional<std::vector<std::size_t>> offsets_by_lines(const std::vector<std::size_t>& text_offsets) const;
  std::size_t signature_size() const;
  bool is_plain_utf8() const;  // true if the text equals the bytes without their byte order mark

  std::string bytes_;
  std::string_view text_;
  std::string charset_;
  std::size_t errors_ = 0;  // malformed sequences
  bool is_same_text_ = false;
};

}  // namespace linkherd::crawler
