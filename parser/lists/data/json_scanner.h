// JSON as a row of tokens with their places, whatever the nesting: no tree, no recursion. A mistake costs only
// what it breaks: a string that never closes ends with its line. Comments ("//", "/*") are understood.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct JsonToken {
  enum class Kind { open_object, close_object, open_array, close_array, key, string, scalar, comment };
  Kind kind = Kind::scalar;
  TextRange range;  // of a string or key: without the quotes
};

class JsonScanner {
 public:
  // From `range.offset` to its end.
  JsonScanner(std::string_view list, TextRange range)
      : text_(list.substr(0, range.offset + range.length)), at_(range.offset) {}

  std::optional<JsonToken> next();

 private:
  JsonToken read_string();
  JsonToken read_comment();
  void skip_space();

  std::string_view text_;
  std::size_t at_;
  bool comment_end_gone_ = false;
};

}  // namespace linkherd::parser
