#include "reports/summary.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "reports/messages.h"

namespace linkherd::reports {
namespace {

using storage::Health;

// Example: "3 broken links, 2 suspect links, 1 blocked link, 4 of the kinds in --fail-on".
std::string describe_findings(const Summary& summary, const OutcomePolicy& policy) {
  std::string text = summary.broken() == 0 ? "nothing broken" : counted(summary.broken(), "broken link");
  std::size_t named = summary.broken();
  std::size_t failing = 0;
  for (const auto& [health, name] : storage::health_names) {
    const std::size_t number = summary.failing(health);
    const bool fails = std::ranges::find(policy.fail_on, health) != policy.fail_on.end();
    if (fails) failing += number;
    if (health == Health::dead || health == Health::insecure || number == 0) continue;
    if (!fails && health != Health::suspect) continue;
    text += ", " + counted(number, fmt::format("{} link", name));
    if (fails) named += number;
  }
  if (summary.broken() == 0 && failing > 0) text.erase(0, text.find(", ") + 2);
  if (failing == named) return text;
  if (failing == 0) return text + ", none of them in --fail-on";
  return fmt::format("{}, {} of them in --fail-on", text, failing);
}

// Returns an empty text if the run is conclusive.
std::string why_inconclusive(const Summary& summary, storage::RunState state, const OutcomePolicy& policy) {
  if (state == storage::RunState::outage) {
    return "nothing could be checked: your network seems to be down";
  }
  if (state == storage::RunState::open && summary.links == 0)
    return "inconclusive: the run was ended before it stored a link";
  // The next run would not try links of a failed host either, so they are not counted.
  const std::size_t deferred = summary.count(Health::deferred) - summary.untried;
  const double allowed = policy.max_deferred * static_cast<double>(summary.links);
  if (deferred == 0 || static_cast<double>(deferred) <= allowed) return {};
  return fmt::format("inconclusive: {} of {} could not be checked", deferred, counted(summary.links, "link"));
}

}  // namespace

bool is_broken_locally(const storage::Verdict& verdict) {
  namespace reason = storage::reason;
  return verdict.health == Health::dead &&
         (verdict.reason == reason::file_not_found || verdict.reason == reason::anchor_not_found ||
          verdict.reason == reason::invalid_url || verdict.reason == reason::invalid_mail_address);
}

std::size_t Summary::accepted_links() const {
  const auto add = [](std::size_t sum, const auto& row) { return sum + row.second; };
  return std::accumulate(accepted.begin(), accepted.end(), std::size_t{0}, add);
}

void Summary::add(const storage::LinkResult& result, std::uint32_t host, bool is_accepted) {
  const storage::Verdict& verdict = result.verdict;
  ++links;
  occurrences += result.occurrence_count;
  ++by_health[verdict.health];
  if (storage::is_fine(verdict.health, verdict.reason)) ++fine;
  if (verdict.reason == storage::reason::interrupted || verdict.reason == storage::reason::unconfirmed) ++unreached;
  if (verdict.health == Health::deferred && verdict.reason == storage::reason::host_unavailable) ++untried;
  if (is_accepted) ++accepted[verdict.health];
  if (is_broken_locally(verdict) && !is_accepted) ++broken_locally;
  const storage::PageSummary& page = result.page;
  pages += page.has_title || page.has_authors || page.has_published ? 1U : 0U;
  titles += page.has_title ? 1U : 0U;
  authors += page.has_authors ? 1U : 0U;
  dates += page.has_published ? 1U : 0U;
  from_browser += page.is_from_browser ? 1U : 0U;
  if (verdict.health == Health::skipped) return;  // never requested
  if (host == 0) return;
  if (host >= is_host_counted.size()) is_host_counted.resize(host + std::size_t{1});
  hosts += is_host_counted[host] ? 0U : 1U;
  is_host_counted[host] = true;
}

Outcome outcome(const Summary& summary, storage::RunState state, const OutcomePolicy& policy) {
  const std::string inconclusive = why_inconclusive(summary, state, policy);
  if (!inconclusive.empty()) {
    const bool local_counts = std::ranges::find(policy.fail_on, Health::dead) != policy.fail_on.end();
    if (summary.broken_locally == 0 || !local_counts) return {4, inconclusive};
    return {2, fmt::format("{} found without the network; {}", counted(summary.broken_locally, "broken link"),
                           inconclusive)};
  }
  const auto fails = [&summary](Health health) { return summary.failing(health) > 0; };
  const std::string findings = describe_findings(summary, policy);
  if (std::ranges::any_of(policy.fail_on, fails)) return {2, findings};
  std::string fine = findings;
  if (const std::size_t known = summary.accepted_links(); known > 0) fine += fmt::format(", {} accepted", known);
  if (summary.untried > 0)
    fine += fmt::format(", {} not checked because their hosts do not answer", counted(summary.untried, "link"));
  return {0, fine};
}

Outcome news_outcome(const Summary& news, const Summary& all, storage::RunState state, const OutcomePolicy& policy) {
  Summary counted = news;
  counted.links = all.links;
  counted.untried = all.untried;
  counted.by_health[Health::deferred] = all.count(Health::deferred);
  return outcome(counted, state, policy);
}

}  // namespace linkherd::reports
