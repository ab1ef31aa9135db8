// Matches a text against many RE2 regular expressions at once. For typical sets, the time per text does not grow with
// the number of patterns. Memory is bounded. Concurrent matching is safe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <re2/re2.h>
#include <re2/set.h>

namespace linkherd::parser {

class PatternSet {
 public:
  PatternSet() = default;
  // All patterns must be valid and have equal options.
  explicit PatternSet(std::vector<std::shared_ptr<const RE2>> patterns, RE2::Anchor anchor = RE2::UNANCHORED);

  bool empty() const { return patterns_.empty(); }
  const std::vector<std::shared_ptr<const RE2>>& patterns() const { return patterns_; }

  // Returns the indexes of the patterns that match, in ascending order.
  std::vector<std::size_t> matches(std::string_view text) const;
  std::optional<std::size_t> first_match(std::string_view text) const;

 private:
  // Calls `visit` with the index of each matching pattern, in ascending order, until it returns false.
  template <class Visit>
  void visit_matches(std::string_view text, Visit visit) const;

  std::vector<std::shared_ptr<const RE2>> patterns_;
  RE2::Anchor anchor_ = RE2::UNANCHORED;
  std::vector<std::unique_ptr<const RE2::Set>> groups_;  // null if the patterns need too much memory as a set
};

}  // namespace linkherd::parser
