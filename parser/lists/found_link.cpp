#include "parser/lists/found_link.h"

#include <algorithm>
#include <cstring>

namespace linkherd::parser {

FoundText::FoundText(std::string_view text)
    : size_(static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), UINT32_MAX))) {
  if (size_ == 0) return;
  char* const bytes = new char[size_];
  std::memcpy(bytes, text.data(), size_);
  data_ = bytes;
  is_owned_ = true;
}

FoundText FoundText::borrowed(std::string_view part) {
  FoundText text;
  text.data_ = part.data();
  text.size_ = static_cast<std::uint32_t>(part.size());
  return text;
}

FoundText::~FoundText() {
  if (is_owned_) delete[] data_;
}

}  // namespace linkherd::parser
