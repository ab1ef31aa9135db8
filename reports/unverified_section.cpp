// The section "Could not verify" of the text report: who refused us, by host.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/text_sections.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t links_of_a_host = 3;  // without -v: one host's refusals are mostly alike

struct HostLinks {
  std::string host;
  LinkList links;
};

// The host with the most links first; hosts with equally many in the order of the lists.
std::vector<HostLinks> by_host(const LinkList& links) {
  std::vector<HostLinks> hosts;
  std::unordered_map<std::string, std::size_t> index;
  for (const storage::CheckedLink* link : links) {
    std::string host = link_host(*link);
    const auto [known, is_new] = index.try_emplace(host, hosts.size());
    if (is_new) hosts.push_back({std::move(host), {}});
    hosts[known->second].links.push_back(link);
  }
  std::ranges::stable_sort(hosts, std::ranges::greater(), [](const HostLinks& host) { return host.links.size(); });
  return hosts;
}

// The reason stands with the host where all its links have the same, else with each.
void write_host(TextWriter& writer, const HostLinks& host, std::size_t number, const TextOptions& options) {
  const std::string common = explained_with_advice(*host.links.front());
  const bool alike =
      std::ranges::all_of(host.links, [&](const auto* link) { return explained_with_advice(*link) == common; });
  writer.subtitle(fmt::format("{} ({}){}{}", host.host, host.links.size(), alike ? ": " : "", alike ? common : ""));
  std::vector<TextEntry> entries;
  for (std::size_t i = 0; i < number; ++i) {
    entries.push_back(entry_of(*host.links[i], alike ? "" : explained_with_advice(*host.links[i]), options));
  }
  write_entries(writer, entries, host.links.size(), 4);
}

}  // namespace

void write_unverified(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Could not verify", links.size(), Tone::strong, "refused us; not failures");
  const std::vector<HostLinks> hosts = by_host(links);
  std::size_t left = first_screen;
  std::size_t hidden_links = 0;
  std::size_t hidden_hosts = 0;
  for (const HostLinks& host : hosts) {
    const std::size_t number = shown(host.links.size(), links_of_a_host, options);
    if (!options.verbose && number > left) {
      left = 0;  // the biggest come first: from here on all are left out
      hidden_links += host.links.size();
      ++hidden_hosts;
      continue;
    }
    if (!options.verbose) left -= number;
    write_host(writer, host, number, options);
  }
  if (hidden_hosts > 0) {
    writer.line(fmt::format("  … and {} on {} (-v shows all)", counted(hidden_links, "more link"),
                            counted(hidden_hosts, "more host")),
                Tone::faint);
  }
}

}  // namespace linkherd::reports
