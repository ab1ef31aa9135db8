#include "crawler/lookups/learned_moves.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "parser/ascii.h"
#include "parser/url/canonical.h"
#include "parser/url/host_labels.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_moves = 10'000;
constexpr std::size_t max_explanations = 256;  // per host
constexpr std::size_t max_path_segments = 32;
constexpr std::size_t max_explained = 3;
constexpr std::size_t min_name_bytes = 3;       // of the last segment; shorter names are equal by chance
constexpr std::size_t max_extension_bytes = 6;  // with the dot

// A path in parts, as written in the URL.
struct PathParts {
  std::vector<std::string> segments;
  std::string extension;  // of the last segment, which is without it; with the dot
  bool has_final_slash = false;
};

// Returns nullopt for paths with too many segments.
std::optional<PathParts> split_path(std::string_view path) {
  PathParts parts;
  parts.has_final_slash = path.size() > 1 && path.ends_with('/');
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.segments.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (parts.segments.size() > max_path_segments) return std::nullopt;
  }
  if (parts.segments.empty() || parts.has_final_slash) return parts;
  std::string& name = parts.segments.back();
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || name.size() - dot > max_extension_bytes) return parts;
  const std::string_view letters = std::string_view(name).substr(dot + 1);
  if (letters.empty() || !std::ranges::all_of(letters, parser::is_ascii_alphanumeric) ||
      std::ranges::all_of(letters, parser::is_ascii_digit))
    return parts;
  parts.extension = name.substr(dot);
  name.resize(dot);
  return parts;
}

std::string transform(std::string_view segment, bool lower_case, bool hyphens) {
  std::string text(segment);
  if (lower_case) std::ranges::transform(text, text.begin(), parser::ascii_lower);
  if (hyphens) std::ranges::replace(text, '_', '-');
  return text;
}

bool has_only_digits(std::string_view segment) {
  return !segment.empty() && std::ranges::all_of(segment, parser::is_ascii_digit);
}

bool matches_segment(std::string_view pattern, std::string_view segment) {
  if (pattern == "*") return true;
  return pattern == "#" ? has_only_digits(segment) : pattern == segment;
}

std::string bare_host(const parser::Url& url) { return std::string(parser::without_www(url.host())); }

// Returns the number of equal segments at the end of both paths, after the transformation of the first.
std::size_t count_common_end(const PathParts& from, const PathParts& to, bool lower_case, bool hyphens) {
  std::size_t count = 0;
  while (count < from.segments.size() && count < to.segments.size()) {
    const std::string& one = from.segments[from.segments.size() - 1 - count];
    const std::string& other = to.segments[to.segments.size() - 1 - count];
    if (transform(one, lower_case, hyphens) != other) break;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<LearnedMoves::Change> LearnedMoves::find_changes(const parser::Url& from, const parser::Url& to) {
  const std::optional<PathParts> old_path = split_path(from.path());
  const std::optional<PathParts> new_path = split_path(to.path());
  if (!old_path || !new_path || old_path->segments.empty() || new_path->segments.empty()) return {};
  Change change;
  std::size_t common = 0;
  // The fewest transformations that explain the most segments
  for (const auto& [lower_case, hyphens] :
       std::array<std::pair<bool, bool>, 4>{{{false, false}, {true, false}, {false, true}, {true, true}}}) {
    const std::size_t count = count_common_end(*old_path, *new_path, lower_case, hyphens);
    if (count <= common) continue;
    common = count;
    change.has_lower_case = lower_case;
    change.has_hyphens = hyphens;
  }
  if (common == 0 || new_path->segments.back().size() < min_name_bytes) return {};
  if (from.has_query() && to.has_query() && from.query() != to.query()) return {};
  change.keeps_query = from.has_query() && to.has_query();
  const auto prefix_of = [common](const PathParts& path) {
    return std::vector<std::string>(path.segments.begin(), path.segments.end() - static_cast<std::ptrdiff_t>(common));
  };
  change.from_prefix = prefix_of(*old_path);
  for (std::string& segment : change.from_prefix) {
    if (has_only_digits(segment)) segment = "#";
  }
  change.to_origin = to.origin();
  change.to_prefix = prefix_of(*new_path);
  if (old_path->extension != new_path->extension) {
    change.from_extension = old_path->extension;
    change.to_extension = new_path->extension;
  }
  if (old_path->has_final_slash != new_path->has_final_slash)
    change.final_slash = new_path->has_final_slash ? FinalSlash::added : FinalSlash::removed;
  std::vector<Change> changes{change};
  if (!change.from_prefix.empty() && change.from_prefix.back() != "#") {
    change.from_prefix.back() = "*";
    changes.push_back(std::move(change));
  }
  return changes;
}

void LearnedMoves::add(const parser::Url& from, const parser::Url& to) {
  if (!from.is_http() || !to.is_http() || moves_ >= max_moves) return;
  if (canonical_form(from, parser::CanonicalLayer::equivalent).url ==
      canonical_form(to, parser::CanonicalLayer::equivalent).url)
    return;  // both are the same page
  ++moves_;
  std::vector<Explanation>& explanations = hosts_[bare_host(from)];
  for (Change& change : find_changes(from, to)) {
    auto known = std::ranges::find(explanations, change, &Explanation::change);
    if (known == explanations.end()) {
      if (explanations.size() >= max_explanations) continue;
      const bool is_host_only = change.from_prefix.empty() && change.to_prefix.empty() && !change.has_lower_case &&
                                !change.has_hyphens && change.from_extension.empty() && change.to_extension.empty();
      known = explanations.insert(explanations.end(), {std::move(change), is_host_only, {}});
    }
    known->moves.insert(std::string(from.href_without_fragment()));
  }
}

std::optional<parser::Url> LearnedMoves::apply(const Change& change, const parser::Url& dead) {
  const std::optional<PathParts> path = split_path(dead.path());
  if (!path || path->segments.size() <= change.from_prefix.size()) return std::nullopt;
  for (std::size_t i = 0; i < change.from_prefix.size(); ++i) {
    if (!matches_segment(change.from_prefix[i], path->segments[i])) return std::nullopt;
  }
  const bool changes_extension = change.from_extension != change.to_extension;
  if (changes_extension && path->extension != change.from_extension) return std::nullopt;
  if (dead.has_query() && !change.keeps_query) return std::nullopt;
  std::string href = change.to_origin;
  for (const std::string& segment : change.to_prefix) href.append(1, '/').append(segment);
  for (std::size_t i = change.from_prefix.size(); i < path->segments.size(); ++i)
    href.append(1, '/').append(transform(path->segments[i], change.has_lower_case, change.has_hyphens));
  href += changes_extension ? change.to_extension : path->extension;
  const bool has_slash =
      change.final_slash == FinalSlash::kept ? path->has_final_slash : change.final_slash == FinalSlash::added;
  if (has_slash) href += '/';
  if (dead.has_query()) href.append(1, '?').append(dead.query());
  auto url = parser::Url::parse(href);
  if (url.has_error() || url->href_without_fragment() == dead.href_without_fragment()) return std::nullopt;
  return std::move(*url);
}

std::vector<ExplainedAddress> LearnedMoves::explain(const parser::Url& dead) const {
  const auto host = hosts_.find(bare_host(dead));
  if (host == hosts_.end()) return {};
  std::vector<ExplainedAddress> addresses;
  for (const Explanation& explanation : host->second) {
    if (explanation.moves.size() < (explanation.is_host_only ? 1U : 2U)) continue;
    std::optional<parser::Url> url = apply(explanation.change, dead);
    if (!url) continue;
    const auto same = std::ranges::find_if(
        addresses, [&url](const ExplainedAddress& known) { return known.url.href() == url->href(); });
    if (same == addresses.end()) {
      addresses.push_back({std::move(*url), explanation.moves.size()});
    } else {
      same->moves = std::max(same->moves, explanation.moves.size());
    }
  }
  std::ranges::stable_sort(addresses, std::ranges::greater(), &ExplainedAddress::moves);
  if (addresses.size() > max_explained)
    addresses.erase(addresses.begin() + static_cast<std::ptrdiff_t>(max_explained), addresses.end());
  return addresses;
}

}  // namespace linkherd::crawler
