// Reads the tokens of a content stream or a CMap of a PDF (ISO 32000-1, 7.2 and 7.8). Skips what it cannot read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linkherd::parser {

struct PdfToken {
  // An operator is any other word, such as "Tj".
  enum class Kind : std::uint8_t { number, string, name, open_array, close_array, operation, end };

  Kind kind = Kind::end;
  double number = 0.0;
  std::string text = {};  // the bytes of a string, a name without the slash, or an operator
};

class PdfTokens {
 public:
  // Does not copy the bytes.
  explicit PdfTokens(std::string_view bytes) : bytes_(bytes) {}

  // Returns the next token; of kind `end` after the last one.
  PdfToken next();

 private:
  void skip_space();
  void skip_inline_image();
  std::string read_literal_string();
  std::string read_hex_string();
  std::string_view read_word();

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace linkherd::parser
