#include "parser/html/text_signature.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {

namespace {

constexpr std::uint64_t fnv_offset = 14695981039346656037U;
constexpr std::uint64_t fnv_prime = 1099511628211U;

std::uint64_t added(std::uint64_t hash, char32_t c) { return (hash ^ c) * fnv_prime; }

// The finaliser of SplitMix64. The high bits of FNV hashes of short words are similar, but SimHash gives each bit a
// vote.
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

bool is_written_without_spaces(char32_t c) {
  constexpr char32_t first = 0x0E00;  // Thai, the first block of a script without spaces
  if (c < first) return false;
  UErrorCode error = U_ZERO_ERROR;
  return uscript_breaksBetweenLetters(uscript_getScript(static_cast<UChar32>(c), &error)) != 0;
}

// Counts how many hashes have each of the 64 bits set. The counts of the latest hashes are kept as planes: bit i of
// plane k is bit k of the count of bit i. So one hash is added to all 64 counts at once.
class Votes {
 public:
  void add_word(std::uint64_t word) {
    std::uint64_t carry = mixed(before_ * fnv_prime ^ word);
    for (std::uint64_t& plane : planes_) {
      const std::uint64_t next = plane & carry;
      plane ^= carry;
      carry = next;
    }
    before_ = word;
    if (++in_planes_ == max_in_planes) empty_planes();
  }
  // Returns a hash in which a bit is set if most hashes have it set.
  std::uint64_t result() {
    empty_planes();
    std::uint64_t hash = 0;
    for (std::size_t bit = 0; bit < counts_.size(); ++bit) {
      if (counts_[bit] * 2 > words_) hash |= std::uint64_t{1} << bit;
    }
    return hash;
  }

 private:
  static constexpr unsigned plane_count = 8;
  static constexpr unsigned max_in_planes = (1U << plane_count) - 1;

  void empty_planes() {
    for (std::size_t bit = 0; bit < counts_.size(); ++bit) {
      for (unsigned plane = 0; plane < plane_count; ++plane) counts_[bit] += (planes_[plane] >> bit & 1U) << plane;
    }
    planes_ = {};
    words_ += std::exchange(in_planes_, 0);
  }

  std::array<std::uint64_t, plane_count> planes_{};
  std::array<std::uint64_t, 64> counts_{};
  std::uint64_t before_ = 0;
  std::uint64_t words_ = 0;
  unsigned in_planes_ = 0;
};

// Calls `take` with the hash of each word and a flag that is true for numbers.
template <class Take>
void for_each_word_hash(std::string_view text, Take take) {
  std::uint64_t word = fnv_offset;
  bool is_number = true;
  const auto end_word = [&] {
    if (word != fnv_offset) take(word, is_number);
    word = fnv_offset;
    is_number = true;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const char c = text[at]; is_ascii(c)) {  // ASCII needs no function call
      ++at;
      if (is_ascii_alphanumeric(c)) {
        word = added(word, static_cast<unsigned char>(ascii_lower(c)));
        is_number = is_number && is_ascii_digit(c);
      } else {
        end_word();
      }
      continue;
    }
    const CodePoint point = decode_utf8(text, at);
    at += point.length;
    const char32_t c = point.value;
    if (u_isalnum(static_cast<UChar32>(c)) == 0) {
      end_word();
    } else if (is_written_without_spaces(c)) {
      end_word();
      take(added(fnv_offset, c), false);
    } else {
      word = added(word, static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT)));
      is_number = is_number && u_isdigit(static_cast<UChar32>(c)) != 0;
    }
  }
  end_word();
}

// Computes one minimum per bin ("Fast Similarity Sketching", Dahlgaard, Knudsen and Thorup, 2017). In every round each
// run is assigned to a bin, a different one each round. A bin keeps the least hash of the first round that fills it. So
// few hashes per run are needed, and a repeated run changes nothing. After as many rounds as there are bins, each round
// fills one bin, so no bin stays empty.
MinHash compute_minhash(const std::vector<std::uint64_t>& runs) {
  constexpr std::size_t bins = 256;
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  constexpr unsigned bin_shift = 56;
  std::array<std::uint64_t, bins> minima{};
  std::array<std::size_t, bins> filled_in{};  // the round that filled the bin, from 1 on; 0 if empty
  std::size_t empty = bins;
  for (std::size_t round = 1; empty > 0; ++round) {
    for (const std::uint64_t run : runs) {
      const std::uint64_t hash = mixed(run + round * step);
      const std::size_t bin = round <= bins ? hash >> bin_shift : round - bins - 1;
      if (filled_in[bin] == 0) {
        --empty;
      } else if (filled_in[bin] != round || minima[bin] <= hash) {
        continue;
      }
      filled_in[bin] = round;
      minima[bin] = hash;
    }
  }
  MinHash bits{};
  for (std::size_t bin = 0; bin < bins; ++bin) bits[bin / 64] |= (minima[bin] & 1U) << (bin % 64);
  return bits;
}

bool are_enough(const std::vector<std::uint64_t>& runs) {
  if (runs.size() < min_shingles) return false;
  std::unordered_set<std::uint64_t> different;
  return std::ranges::any_of(runs, [&different](std::uint64_t run) {
    different.insert(run);
    return different.size() == min_shingles;
  });
}

// Computes the digest, the SimHash and the runs of three words of a text in one pass.
class SignatureBuilder {
 public:
  void add(std::uint64_t word, bool is_number) {
    votes_.add_word(word);
    if (is_number) return;
    digest_ = mixed(digest_ * fnv_prime ^ word);
    if (++words_ >= 3) runs_.push_back(mixed(mixed(before_[0] * fnv_prime ^ before_[1]) * fnv_prime ^ word));
    before_ = {before_[1], word};
  }

  TextSignature signature() {
    TextSignature signature{.digest = std::max<std::uint64_t>(digest_, 1), .simhash = votes_.result()};
    if (are_enough(runs_)) signature.minhash = compute_minhash(runs_);
    return signature;
  }

  std::vector<std::uint64_t> runs() && { return std::move(runs_); }

 private:
  Votes votes_;
  std::uint64_t digest_ = fnv_offset;
  std::array<std::uint64_t, 2> before_{};
  std::size_t words_ = 0;
  std::vector<std::uint64_t> runs_;
};

}  // namespace

std::uint64_t simhash(std::string_view text) {
  Votes votes;
  for_each_word_hash(text, [&votes](std::uint64_t word, bool /*is_number*/) { votes.add_word(word); });
  return votes.result();
}

std::vector<std::uint64_t> word_runs(std::string_view text) {
  SignatureBuilder builder;
  for_each_word_hash(text, [&builder](std::uint64_t word, bool is_number) { builder.add(word, is_number); });
  std::vector<std::uint64_t> runs = std::move(builder).runs();
  std::ranges::sort(runs);
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

double similarity(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other) {
  if (one.empty() && other.empty()) return 1.0;
  std::vector<std::uint64_t> shared;
  std::ranges::set_intersection(one, other, std::back_inserter(shared));
  return static_cast<double>(shared.size()) / static_cast<double>(one.size() + other.size() - shared.size());
}

double similarity(const MinHash& one, const MinHash& other) {
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += count_bits(one[i] ^ other[i]);
  constexpr double by_chance = 128;  // bits that differ between unrelated texts
  return std::max(0.0, 1.0 - differing / by_chance);
}

TextSignature compute_signature(std::string_view text) {
  SignatureBuilder builder;
  for_each_word_hash(text, [&builder](std::uint64_t word, bool is_number) { builder.add(word, is_number); });
  TextSignature signature = builder.signature();
  signature.length = count_code_points(text);
  return signature;
}

}  // namespace linkherd::parser
