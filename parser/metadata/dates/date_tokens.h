// Splits a text into the tokens of dates: numbers, words and single symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct DateToken {
  enum class Kind : std::uint8_t { end, number, word, symbol };
  Kind kind = Kind::end;
  std::int64_t value = 0;   // for numbers; saturates at 18 digits
  std::uint8_t digits = 0;  // number of digits
  std::string word = {};    // for words: in lower case; for signs: the symbol
  std::size_t begin = 0;
  std::size_t end = 0;
  bool has_space_before = false;

  bool is_number(int min_digits, int max_digits) const {
    return kind == Kind::number && digits >= min_digits && digits <= max_digits;
  }
  bool is_symbol(std::string_view sign) const { return kind == Kind::symbol && word == sign; }
  bool is_word(std::string_view text) const { return kind == Kind::word && word == text; }
};

using DateTokens = std::vector<DateToken>;

// Returns the tokens of a text. The last one has the kind `end`. Each Han or Hangul character is a symbol of its own,
// because digits adjoin them without a space.
DateTokens split_date_tokens(std::string_view text);

// Returns false if the text cannot contain a date. A fast filter: a date has at least four digits, unless characters of
// other scripts may be numbers.
bool may_contain_date(std::string_view text);

}  // namespace linkherd::parser
