#include "parser/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::string_view opening = "; did you mean ";
constexpr std::size_t max_name_length = 100;  // in code points; longer names are not typing errors

std::u32string folded(std::string_view name) {
  std::u32string text;
  for (std::size_t i = 0; i < name.size();) {
    const CodePoint point = decode_utf8(name, i);
    const bool is_upper = point.value >= U'A' && point.value <= U'Z';
    text += is_upper ? point.value - U'A' + U'a' : point.value;
    i += point.length;
  }
  return text;
}

// Returns the maximum number of edits that still counts as a typing error.
std::size_t max_edit_distance(std::size_t length) {
  constexpr std::size_t max_changes = 3;
  return length > max_name_length ? 0 : std::min(length / 3, max_changes);
}

// Returns the optimal string alignment distance. If the distance exceeds `limit`, returns any number above `limit`.
std::size_t distance(std::u32string_view one, std::u32string_view other, std::size_t limit) {
  const std::size_t difference = std::max(one.size(), other.size()) - std::min(one.size(), other.size());
  if (difference > limit) return difference;
  std::vector<std::size_t> before(other.size() + 1);  // the row before the previous one
  std::vector<std::size_t> previous(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)});
      const bool is_exchange = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_exchange) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::ranges::min_element(row) > limit) return limit + 1;
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous.back();
}

}  // namespace

NearestName::NearestName(std::string_view typed)
    : typed_(folded(truncate_utf8(typed, 4 * (max_name_length + 1)))),
      nearest_distance_(max_edit_distance(typed_.size()) + 1) {}

void NearestName::consider(std::string_view name) {
  if (name.size() > 4 * max_name_length || name == nearest_) return;
  const std::size_t changes = distance(typed_, folded(name), nearest_distance_);
  if (changes > nearest_distance_) return;
  is_unique_ = changes < nearest_distance_;
  if (!is_unique_) return;
  nearest_distance_ = changes;
  nearest_ = name;
}

std::optional<std::string> NearestName::best_match() const {
  return is_unique_ ? std::optional(nearest_) : std::nullopt;
}

std::string did_you_mean(const NearestName& nearest, std::string_view prefix) {
  const std::optional<std::string> found = nearest.best_match();
  return found ? std::string(opening).append(prefix).append(*found).append("?") : std::string();
}

std::string_view find_suggestion(std::string_view message) {
  const std::size_t start = message.rfind(opening);
  return start == std::string_view::npos ? std::string_view() : message.substr(start + 2);
}

}  // namespace linkherd::parser
