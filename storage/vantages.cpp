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

bool is_dead(const VantageLook& look) { return look.verdict.health == Health::dead; }
bool is_page_there(const VantageLook& look) {
  return is_there(look.verdict) || look.verdict.health == Health::insecure;
}

std::string describe_vantage(const VantageLook& look) {
  return fmt::format("{} from {} on {}{}{}", enum_name(health_names, look.verdict.health),
                     look.vantage.empty() ? "a vantage without a name" : look.vantage, format_timestamp(look.at),
                     look.verdict.evidence.empty() ? "" : ": ", look.verdict.evidence);
}

}  // namespace

std::vector<VantageLook> vantage_looks(const LinkRecord& record) {
  if (!record.vantages.empty() || record.snapshot.fetched_at == Timestamp{}) return record.vantages;
  return {{record.snapshot.vantage, record.snapshot.fetched_at, record.snapshot.verdict}};
}

void put_vantage_look(std::vector<VantageLook>& looks, VantageLook look) {
  const auto position = std::ranges::lower_bound(looks, look.vantage, {}, &VantageLook::vantage);
  if (position != looks.end() && position->vantage == look.vantage) {
    *position = std::move(look);
  } else {
    looks.insert(position, std::move(look));
  }
}

std::vector<VantageLook> joined(std::vector<VantageLook> looks, const std::vector<VantageLook>& others) {
  for (const VantageLook& other : others) {
    const auto known = std::ranges::find(looks, other.vantage, &VantageLook::vantage);
    if (known == looks.end() || known->at < other.at) put_vantage_look(looks, other);
  }
  return looks;
}

std::vector<VantageLook> in_dispute(const std::vector<VantageLook>& looks) {
  Timestamp latest{};
  for (const VantageLook& look : looks) latest = std::max(latest, look.at);
  std::vector<VantageLook> dispute;
  for (const VantageLook& look : looks) {
    if (latest - look.at <= max_time_difference && (is_dead(look) || is_page_there(look))) dispute.push_back(look);
  }
  if (std::ranges::all_of(dispute, is_dead) || std::ranges::none_of(dispute, is_dead)) dispute.clear();
  return dispute;
}

std::optional<Verdict> disagreement(const std::vector<VantageLook>& looks) {
  const std::vector<VantageLook> dispute = in_dispute(looks);
  if (dispute.empty()) return std::nullopt;
  return Verdict{Health::suspect, std::string(reason::vantage), "vantages",
                 fmt::format("{}; {}", describe_vantage(*std::ranges::find_if(dispute, is_dead)),
                             describe_vantage(*std::ranges::find_if(dispute, is_page_there))),
                 vantage_confidence};
}

}  // namespace linkherd::storage
