#include "reports/summary.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::Health;

// "3 broken links", "2 broken, 1 blocked links": the failures that the user selected, in the order of the healths.
std::string name_failures(const std::map<Health, std::size_t>& failures) {
  std::map<std::string, std::size_t> kinds;
  std::vector<std::string> order;
  std::size_t total = 0;
  for (const auto& [health, number] : failures) {
    const bool broken = health == Health::dead || health == Health::insecure;
    std::string kind = broken ? "broken" : std::string(enum_name(storage::health_names, health));
    if (kinds.count(kind) == 0) order.push_back(kind);
    kinds[kind] += number;
    total += number;
  }
  std::string text;
  for (const std::string& kind : order) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kinds[kind], kind);
  return text + (total == 1 ? " link" : " links");
}

// Returns an empty text if the run is conclusive.
std::string why_inconclusive(const Summary& summary, storage::RunState state, const OutcomePolicy& policy) {
  if (state == storage::RunState::outage) {
    return "outage: our own network failed, so nothing is said about the links";
  }
  // Links of a host that is down would not be tried in the next run either, so they are not counted.
  const std::size_t deferred = summary.count(Health::deferred) - summary.untried;
  const double allowed = policy.max_deferred * static_cast<double>(summary.links);
  if (deferred == 0 || static_cast<double>(deferred) <= allowed) return {};
  return fmt::format("inconclusive: {} of {} could not be checked in this run", deferred,
                     counted(summary.links, "link"));
}

}  // namespace

bool is_broken_locally(const storage::Verdict& verdict) {
  namespace reason = storage::reason;
  return verdict.health == Health::dead &&
         (verdict.reason == reason::file_not_found || verdict.reason == reason::anchor_not_found ||
          verdict.reason == reason::invalid_url || verdict.reason == reason::invalid_mail_address);
}

bool has_metadata(const storage::CheckedLink& link) {
  const parser::Metadata& metadata = link.record.snapshot.metadata;
  return metadata.title || metadata.authors || metadata.published;
}

void MetadataCounts::add(const storage::CheckedLink& link) {
  const parser::Metadata& metadata = link.record.snapshot.metadata;
  pages += has_metadata(link) ? 1U : 0U;
  titles += metadata.title ? 1U : 0U;
  authors += metadata.authors ? 1U : 0U;
  dates += metadata.published ? 1U : 0U;
}

std::size_t Summary::accepted_links() const {
  const auto add = [](std::size_t sum, const auto& row) { return sum + row.second; };
  return std::accumulate(accepted.begin(), accepted.end(), std::size_t{0}, add);
}

void Summarizer::add(const storage::CheckedLink& link, std::string_view host, bool accepted) {
  const storage::Verdict& verdict = link.entry.verdict;
  ++counted_.links;
  counted_.occurrences += link.entry.occurrences.size();
  ++counted_.by_health[verdict.health];
  if (verdict.health == Health::deferred && verdict.reason == storage::reason::host_unavailable) ++counted_.untried;
  if (accepted) ++counted_.accepted[verdict.health];
  if (is_broken_locally(verdict) && !accepted) ++counted_.broken_locally;
  if (verdict.health == Health::skipped) return;  // never requested
  if (!host.empty()) hosts_.emplace(host);
}

Summary Summarizer::summary() const {
  Summary summary = counted_;
  summary.hosts = hosts_.size();
  return summary;
}

Outcome outcome(const Summary& summary, storage::RunState state, const OutcomePolicy& policy) {
  const std::string inconclusive = why_inconclusive(summary, state, policy);
  if (!inconclusive.empty()) {
    const bool local_counts = std::ranges::find(policy.fail_on, Health::dead) != policy.fail_on.end();
    if (summary.broken_locally == 0 || !local_counts) return {4, inconclusive};
    return {2, fmt::format("{} found without the network; {}", counted(summary.broken_locally, "broken link"),
                           inconclusive)};
  }
  std::map<Health, std::size_t> failures;
  for (const auto& [health, number] : summary.by_health) {
    const std::size_t failing = number - summary.accepted_of(health);
    if (failing > 0 && std::ranges::find(policy.fail_on, health) != policy.fail_on.end()) failures[health] = failing;
  }
  if (!failures.empty()) return {2, name_failures(failures)};
  std::string fine = "nothing broken";
  const std::size_t suspects = summary.count(Health::suspect) - summary.accepted_of(Health::suspect);
  if (suspects > 0) fine += ", " + counted(suspects, "suspect link");
  if (const std::size_t known = summary.accepted_links(); known > 0) fine += fmt::format(", {} accepted", known);
  if (summary.untried > 0)
    fine += fmt::format(", {} not tried: their host failed for others", counted(summary.untried, "link"));
  return {0, fine};
}

}  // namespace linkherd::reports
