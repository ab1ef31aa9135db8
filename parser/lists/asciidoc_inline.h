// The macros of one block of AsciiDoc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// An attribute of the document (":name: value") and where its value stands.
struct AsciidocAttribute {
  TextRange range;
  std::string value;
  bool used = false;
};
using AsciidocAttributes = std::unordered_map<std::string, AsciidocAttribute>;

void read_asciidoc_inline(std::string_view list, TextRange block, bool include_verbatim, AsciidocAttributes& attributes,
                          FoundLinks& found);

}  // namespace linkherd::parser
