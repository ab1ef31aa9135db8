#include "parser/html/simhash.h"

#include <array>
#include <cstddef>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "parser/utf8.h"

namespace linkherd::parser {

namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037U;
constexpr std::uint64_t fnv_prime = 1099511628211U;

std::uint64_t added(std::uint64_t hash, char32_t c) { return (hash ^ c) * fnv_prime; }

// The finaliser of SplitMix64: the high bits of FNV hashes of short words are similar, but each bit has a vote.
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

bool is_written_without_spaces(char32_t c) {
  constexpr char32_t first = 0x0E00;  // Thai, the first block of scripts without spaces
  if (c < first) return false;
  UErrorCode error = U_ZERO_ERROR;
  return uscript_breaksBetweenLetters(uscript_getScript(static_cast<UChar32>(c), &error)) != 0;
}

class Votes {
 public:
  void add_word(std::uint64_t word) {
    ++words_;
    const std::uint64_t pair = mixed(before_ * fnv_prime ^ word);
    for (std::size_t bit = 0; bit < sums_.size(); ++bit) sums_[bit] += ((pair >> bit) & 1U) != 0 ? 1 : -1;
    before_ = word;
  }
  std::uint64_t result() const {
    if (words_ == 0) return 0;
    std::uint64_t hash = 0;
    for (std::size_t bit = 0; bit < sums_.size(); ++bit) {
      if (sums_[bit] > 0) hash |= std::uint64_t{1} << bit;
    }
    return hash;
  }

 private:
  std::array<std::int64_t, 64> sums_{};
  std::uint64_t before_ = 0;
  std::size_t words_ = 0;
};

}  // namespace

std::uint64_t simhash(std::string_view text) {
  Votes votes;
  std::uint64_t word = fnv_offset;
  const auto end_word = [&votes, &word] {
    if (word != fnv_offset) votes.add_word(word);
    word = fnv_offset;
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    const char32_t c = point.value;
    if (u_isalnum(static_cast<UChar32>(c)) == 0) {
      end_word();
    } else if (is_written_without_spaces(c)) {
      end_word();
      votes.add_word(added(fnv_offset, c));
    } else {
      word = added(word, static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT)));
    }
  }
  end_word();
  return votes.result();
}

}  // namespace linkherd::parser
