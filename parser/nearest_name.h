// Suggests the intended name for a mistyped option, setting, command, value, anchor or file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Finds the name with the smallest edit distance to the typed one. Edits are the insertion, deletion and replacement of
// a character, and the exchange of two neighbours. ASCII case is ignored. Comparing one name takes time proportional to
// the product of both lengths, which are limited to 100 code points.
class NearestName {
 public:
  explicit NearestName(std::string_view typed);

  void consider(std::string_view name);

  // Returns nullopt if no considered name is close enough for the length of the typed one, or if the best match is not
  // unique.
  std::optional<std::string> best_match() const;

 private:
  std::u32string typed_;
  std::size_t nearest_distance_;  // smallest distance so far; initially the first distance that is too large
  std::string nearest_;
  bool is_unique_ = false;
};

// Returns the end of an error message, such as "; did you mean --format?". Empty if there is no suggestion. `prefix`
// (here "--") is inserted before the name.
std::string did_you_mean(const NearestName& nearest, std::string_view prefix = {});

// `names` is a range of values that convert to std::string_view.
template <class Names>
std::string did_you_mean(std::string_view typed, const Names& names) {
  NearestName nearest(typed);
  for (const auto& name : names) nearest.consider(name);
  return did_you_mean(nearest);
}

// Returns the suggestion at the end of such a message ("did you mean json?"). Empty if the message has none.
std::string_view find_suggestion(std::string_view message);

}  // namespace linkherd::parser
