// Which texts may begin with one of some labels: asked of every element of a page, so answered by two letters only.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <string_view>

#include "parser/ascii.h"

namespace linkherd::parser {

class Beginnings {
 public:
  // In lower case, of two bytes or more.
  void add(std::span<const std::string_view> labels) {
    for (const std::string_view label : labels) {
      first_.set(place(label[0]));
      both_.set(place(label[0]) * 256 + place(label[1]));
    }
  }
  // `text` may be only the beginning of the text in question, but not empty where that is not.
  bool may_be(std::string_view text) const {
    if (text.empty()) return false;
    const std::size_t first = place(ascii_lower(text[0]));
    return text.size() == 1 ? first_.test(first) : both_.test(first * 256 + place(ascii_lower(text[1])));
  }

 private:
  static constexpr std::size_t place(char c) { return static_cast<unsigned char>(c); }

  std::bitset<256> first_;
  std::bitset<std::size_t{256} * 256> both_;
};

}  // namespace linkherd::parser
