// The suggestion for a mistyped name: of an option, a setting, a command, a value, an anchor or a file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Finds the name that differs least from what was typed, by the insertion, deletion, replacement or exchange of
// characters. Upper and lower case of ASCII are the same. Time per name: the product of both lengths, which are
// limited.
class NearestName {
 public:
  explicit NearestName(std::string_view typed);

  void consider(std::string_view name);

  // nullopt if no name is near enough for its length, or if several names are equally near.
  std::optional<std::string> found() const;

 private:
  std::u32string typed_;
  std::size_t nearest_distance_;  // of those considered; at first what is too far
  std::string nearest_;
  bool is_unique_ = false;
};

// The end of a message: "; did you mean --format?", or an empty text.
std::string did_you_mean(const NearestName& nearest, std::string_view prefix = {});

// `names`: a range of what converts to std::string_view.
template <class Names>
std::string did_you_mean(std::string_view typed, const Names& names) {
  NearestName nearest(typed);
  for (const auto& name : names) nearest.consider(name);
  return did_you_mean(nearest);
}

// Returns "did you mean json?" of such a message, or an empty text.
std::string_view suggestion_in(std::string_view message);

}  // namespace linkherd::parser
