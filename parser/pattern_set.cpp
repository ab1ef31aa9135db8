#include "parser/pattern_set.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace linkherd::parser {
namespace {

// Patterns are split into groups because one large set can be as slow as matching each pattern in turn. A set of 20,000
// patterns with classes, such as "[a-z]+-17-", has states of 20,000 threads and takes 55 s for 20,000 URLs. Groups of
// this size take 1.2 s, or 0.2 s if the patterns are plain names.
constexpr std::size_t group_size = 512;
constexpr std::int64_t max_group_memory = std::int64_t{8} << 20;

}  // namespace

PatternSet::PatternSet(std::vector<std::shared_ptr<const RE2>> patterns, RE2::Anchor anchor)
    : patterns_(std::move(patterns)), anchor_(anchor) {
  for (std::size_t first = 0; first < patterns_.size(); first += group_size) {
    RE2::Options options;
    options.Copy(patterns_[first]->options());
    options.set_max_mem(max_group_memory);
    auto group = std::make_unique<RE2::Set>(options, anchor);
    const std::size_t last = std::min(first + group_size, patterns_.size());
    for (std::size_t i = first; group != nullptr && i < last; ++i) {
      std::string error;
      if (group->Add(patterns_[i]->pattern(), &error) < 0) group = nullptr;
    }
    if (group != nullptr && !group->Compile()) group = nullptr;
    groups_.push_back(std::move(group));
  }
}

template <class Visit>
void PatternSet::visit_matches(std::string_view text, Visit visit) const {
  const re2::StringPiece piece(text.data(), text.size());
  std::vector<int> found;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::size_t first = group * group_size;
    found.clear();
    RE2::Set::ErrorInfo error{RE2::Set::kOutOfMemory};
    if (groups_[group] != nullptr && groups_[group]->Match(piece, &found, &error)) error.kind = RE2::Set::kNoError;
    if (error.kind != RE2::Set::kNoError) {  // match each pattern separately
      found.clear();
      for (std::size_t i = first; i < std::min(first + group_size, patterns_.size()); ++i) {
        if (patterns_[i]->Match(piece, 0, piece.size(), anchor_, nullptr, 0))
          found.push_back(static_cast<int>(i - first));
      }
    }
    std::ranges::sort(found);
    for (const int index : found) {
      if (!visit(first + static_cast<std::size_t>(index))) return;
    }
  }
}

std::vector<std::size_t> PatternSet::matches(std::string_view text) const {
  std::vector<std::size_t> indexes;
  visit_matches(text, [&indexes](std::size_t index) {
    indexes.push_back(index);
    return true;
  });
  return indexes;
}

std::optional<std::size_t> PatternSet::first_match(std::string_view text) const {
  std::optional<std::size_t> first;
  visit_matches(text, [&first](std::size_t index) {
    first = index;
    return false;
  });
  return first;
}

}  // namespace linkherd::parser
