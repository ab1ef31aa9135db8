#include "reports/text_sections.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/summary.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::Health;

template <class Headline>
void write_links(TextWriter& writer, const LinkList& links, std::size_t number, const TextOptions& options,
                 std::size_t indent, const Headline& headline) {
  std::vector<TextEntry> entries;
  for (std::size_t i = 0; i < number; ++i) entries.push_back(entry_of(*links[i], headline(*links[i]), options));
  write_entries(writer, entries, links.size(), indent);
}

std::string no_headline(const CheckedLink& /*link*/) { return {}; }

// Causes with their numbers, in the order of their first link; in the long form the links as well.
template <class Cause>
void write_causes(TextWriter& writer, const LinkList& links, const TextOptions& options, const Cause& cause) {
  std::vector<std::pair<std::string, LinkList>> causes;
  std::unordered_map<std::string, std::size_t> index;
  for (const CheckedLink* link : links) {
    std::string name = cause(*link);
    const auto [known, is_new] = index.try_emplace(name, causes.size());
    if (is_new) causes.emplace_back(std::move(name), LinkList());
    causes[known->second].second.push_back(link);
  }
  const std::size_t number = shown(causes.size(), first_screen, options);
  for (std::size_t i = 0; i < number; ++i) {
    const auto& [name, of_cause] = causes[i];
    writer.line(fmt::format("{:>5}  {}", of_cause.size(), name));
    if (options.verbose) write_links(writer, of_cause, of_cause.size(), options, 7, no_headline);
  }
  if (number < causes.size()) writer.line("  " + and_more(causes.size() - number), Tone::faint);
}

}  // namespace

SortedLinks sort_links(const Report& report) {
  SortedLinks sorted;
  for (const CheckedLink& link : report.links) {
    const storage::Verdict& verdict = link.entry.verdict;
    switch (verdict.health) {
      case Health::alive: sorted.fine.push_back(&link); break;
      case Health::redirected:
        (verdict.reason == storage::reason::moved_permanently ? sorted.moved : sorted.fine).push_back(&link);
        break;
      case Health::dead: (only_warns(verdict) ? sorted.doubtful : sorted.broken).push_back(&link); break;
      case Health::insecure: sorted.broken.push_back(&link); break;
      case Health::unreachable: sorted.unanswered.push_back(&link); break;
      case Health::blocked: sorted.unverified.push_back(&link); break;
      case Health::deferred: sorted.put_off.push_back(&link); break;
      case Health::skipped: sorted.skipped.push_back(&link); break;
    }
  }
  return sorted;
}

void write_broken(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Broken", links.size(), Tone::bad);
  write_links(writer, links, links.size(), options, 2, explained_with_advice);  // always all of them
}

void write_doubtful(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Perhaps broken", links.size(), Tone::notable, "warnings, not failures");
  write_links(writer, links, shown(links.size(), first_screen, options), options, 2, explained_with_advice);
}

void write_moved(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  const storage::Verdict moved{Health::redirected, std::string(storage::reason::moved_permanently), "", "", 1.0};
  const std::string usual = advice(moved, {});
  writer.title("Moved permanently", links.size(), Tone::notable, usual);
  const auto unusual_advice = [&usual](const CheckedLink& link) {
    std::string what_to_do = advice(link.entry.verdict, link.record.snapshot);
    return what_to_do == usual ? std::string() : what_to_do;
  };
  write_links(writer, links, shown(links.size(), first_screen, options), options, 2, unusual_advice);
}

void write_unanswered(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("No answer", links.size(), Tone::strong, "not yet counted as broken");
  const auto with_strikes = [&options](const CheckedLink& link) {
    const int strikes = link.record.strikes;
    if (strikes < 1) return explained(link);
    return fmt::format("{} (strike {} of {})", explained(link), strikes, options.strikes);
  };
  write_links(writer, links, shown(links.size(), first_screen, options), options, 2, with_strikes);
}

void write_put_off(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Put off", links.size(), Tone::strong, "not judged in this run");
  // Hosts that made us wait are named; everything else is ours and the same for all.
  std::unordered_map<std::string, std::string> seen_of_host;
  write_causes(writer, links, options, [&seen_of_host](const CheckedLink& link) {
    const storage::Verdict& verdict = link.entry.verdict;
    std::string words = reason_in_words(verdict);
    if (verdict.reason != storage::reason::rate_limited && verdict.reason != storage::reason::host_unavailable)
      return words;
    // What was seen first stands for all links of the host, though each may have been told its own deadline.
    words = fmt::format("{}: {}", link_host(link), words);
    const std::string& evidence = seen_of_host.try_emplace(words, verdict.evidence).first->second;
    return evidence.empty() ? words : fmt::format("{}: {}", link_host(link), evidence);
  });
}

void write_skipped(TextWriter& writer, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Skipped", links.size(), Tone::strong);
  write_causes(writer, links, options, [](const CheckedLink& link) { return reason_in_words(link.entry.verdict); });
}

void write_fine(TextWriter& writer, const LinkList& links) {
  if (links.empty()) return;
  const TextOptions options{.color = false, .verbose = true};
  writer.title("Fine", links.size(), Tone::good);
  write_links(writer, links, links.size(), options, 2, [](const CheckedLink& link) {
    if (!link.entry.from_store) return std::string();
    return "not asked again, seen on " + minute(link.record.snapshot.fetched_at);
  });
}

}  // namespace linkherd::reports
