// The bytes of a list file and its text, in which links are found: edits of the text become edits of the bytes, and all
// other bytes stay as they are, whatever the encoding.
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
  // `text`: as what the list was read before; outlives this.
  ListBytes(std::string bytes, std::string_view text);

  const std::string& bytes() const { return bytes_; }
  bool is_same_text() const { return is_same_text_; }  // else the bytes have changed since then
  // Whether edits may have other characters than ASCII.
  bool is_utf8() const { return charset_ == "utf-8"; }

  // The same edits of the bytes, with the text in the encoding of the file. `new_text`: the text with them. Nullopt if
  // the places cannot be told, or if the new bytes would not be read as the new text.
  std::optional<std::vector<TextEdit>> edits_of_bytes(const std::vector<TextEdit>& edits,
                                                      std::string_view new_text) const;

 private:
  std::optional<std::vector<std::size_t>> offsets_of(const std::vector<std::size_t>& text_offsets) const;
  std::optional<std::vector<std::size_t>> offsets_by_lines(const std::vector<std::size_t>& text_offsets) const;
  std::size_t signature_size() const;
  bool is_plain_utf8() const;  // the text is the bytes, without their signature

  std::string bytes_;
  std::string_view text_;
  std::string charset_;
  std::size_t errors_ = 0;  // ill-formed sequences
  bool is_same_text_ = false;
};

}  // namespace linkherd::crawler
