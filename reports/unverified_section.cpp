// The section "Could not verify" of the text report: who refused us, by host.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/text_sections.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t links_of_a_host = 3;  // without -v: one host's refusals are mostly alike

// The reason stands with the host where all its links have the same, else with each.
void write_host(TextWriter& writer, const Report& report, const LinkGroup& host, std::size_t number,
                const TextOptions& options) {
  const bool alike = host.alike;
  writer.subtitle(fmt::format("{} ({}){}{}", host.name, host.links.size(), alike ? ": " : "", alike ? host.words : ""));
  const auto headline = [alike](const storage::CheckedLink& link) {
    return alike ? std::string() : explained_with_advice(link);
  };
  write_links(writer, *report.links, host.links, number, options, 4, headline);
}

}  // namespace

void write_unverified(TextWriter& writer, const Report& report, const TextOptions& options) {
  // The host with the most links first; hosts with equally many in the order of the lists.
  std::vector<const LinkGroup*> hosts;
  for (const LinkGroup& host : report.overview.sections.unverified) hosts.push_back(&host);
  if (hosts.empty()) return;
  std::ranges::stable_sort(hosts, std::ranges::greater(), [](const LinkGroup* host) { return host->links.size(); });

  writer.title("Could not verify", links_in(report.overview.sections.unverified), Tone::strong,
               "refused us; not failures");
  std::size_t left = first_screen;
  std::size_t hidden_links = 0;
  std::size_t hidden_hosts = 0;
  for (const LinkGroup* host : hosts) {
    const std::size_t number = shown(host->links.size(), links_of_a_host, options);
    if (!options.verbose && number > left) {
      left = 0;  // the biggest come first: from here on all are left out
      hidden_links += host->links.size();
      ++hidden_hosts;
      continue;
    }
    if (!options.verbose) left -= number;
    write_host(writer, report, *host, number, options);
  }
  if (hidden_hosts > 0) {
    writer.line(fmt::format("  … and {} on {} (-v shows all)", counted(hidden_links, "more link"),
                            counted(hidden_hosts, "more host")),
                Tone::faint);
  }
}

}  // namespace linkherd::reports
