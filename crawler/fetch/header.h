// A header of a response, and how one is looked up among many.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::crawler {

struct Header {
  std::string name;   // lower case
  std::string value;  // as sent, trimmed; bytes, not text

  bool operator==(const Header&) const = default;
};

// The value of the last header of that (lower-case) name; empty where there is none.
std::string_view find_header(const std::vector<Header>& headers, std::string_view name);

}  // namespace linkherd::crawler
