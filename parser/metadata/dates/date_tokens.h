// A text cut into what dates are made of: numbers, words and single signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

struct DateToken {
  enum class Kind : std::uint8_t { end, number, word, sign };
  Kind kind = Kind::end;
  std::int64_t value = 0;   // of a number; more than 18 digits saturate
  std::uint8_t digits = 0;  // of a number
  std::string word = {};    // lower case; of a sign: itself
  std::size_t begin = 0;
  std::size_t end = 0;
  bool space_before = false;

  bool is_number(int min_digits, int max_digits) const {
    return kind == Kind::number && digits >= min_digits && digits <= max_digits;
  }
  bool is_sign(std::string_view sign) const { return kind == Kind::sign && word == sign; }
  bool is_word(std::string_view text) const { return kind == Kind::word && word == text; }
};

// Ends in a token of kind `end`. Han and Hangul characters are a sign each: they stand next to digits without a space.
std::vector<DateToken> date_tokens(std::string_view text);

// No date has fewer than four digits, at least where letters and signs of other scripts cannot be numbers.
bool may_hold_date(std::string_view text);

}  // namespace linkherd::parser
