#include "storage/vantages.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace linkherd::storage {
namespace {

constexpr Duration max_time_difference = std::chrono::days(30);
constexpr double vantage_confidence = 0.5;

bool is_dead(const VantageCheck& check) { return check.verdict.health == Health::dead; }
bool has_page(const VantageCheck& check) {
  return page_exists(check.verdict) || check.verdict.health == Health::insecure;
}

std::string describe_vantage(const VantageCheck& check) {
  return fmt::format("{} from {} on {}{}{}", enum_name(health_names, check.verdict.health),
                     check.vantage.empty() ? "a vantage without a name" : check.vantage, format_timestamp(check.at),
                     check.verdict.evidence.empty() ? "" : ": ", check.verdict.evidence);
}

}  // namespace

std::vector<VantageCheck> vantage_checks(const LinkState& state) {
  if (!state.vantages.empty() || state.snapshot.fetched_at == Timestamp{}) return state.vantages;
  return {{state.snapshot.vantage, state.snapshot.fetched_at, state.snapshot.verdict}};
}

void put_vantage_check(std::vector<VantageCheck>& checks, VantageCheck check) {
  const auto position = std::ranges::lower_bound(checks, check.vantage, {}, &VantageCheck::vantage);
  if (position != checks.end() && position->vantage == check.vantage) {
    *position = std::move(check);
  } else {
    checks.insert(position, std::move(check));
  }
}

std::vector<VantageCheck> merge_vantages(std::vector<VantageCheck> checks, const std::vector<VantageCheck>& others) {
  for (const VantageCheck& other : others) {
    const auto known = std::ranges::find(checks, other.vantage, &VantageCheck::vantage);
    if (known == checks.end() || known->at < other.at) put_vantage_check(checks, other);
  }
  return checks;
}

std::vector<VantageCheck> find_disagreeing(const std::vector<VantageCheck>& checks) {
  Timestamp latest{};
  for (const VantageCheck& check : checks) latest = std::max(latest, check.at);
  std::vector<VantageCheck> disagreeing;
  for (const VantageCheck& check : checks) {
    if (latest - check.at <= max_time_difference && (is_dead(check) || has_page(check))) disagreeing.push_back(check);
  }
  if (std::ranges::all_of(disagreeing, is_dead) || std::ranges::none_of(disagreeing, is_dead)) disagreeing.clear();
  return disagreeing;
}

std::optional<Verdict> verdict_on_disagreement(const std::vector<VantageCheck>& checks) {
  const std::vector<VantageCheck> disagreeing = find_disagreeing(checks);
  if (disagreeing.empty()) return std::nullopt;
  return Verdict{Health::suspect, std::string(reason::vantage), "vantages",
                 fmt::format("{}; {}", describe_vantage(*std::ranges::find_if(disagreeing, is_dead)),
                             describe_vantage(*std::ranges::find_if(disagreeing, has_page))),
                 vantage_confidence};
}

}  // namespace linkherd::storage
