#include "reports/link_entries.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reports/naming.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;

constexpr std::size_t aligned_together = 1000;  // entries: as many as are in memory at a time
constexpr std::size_t places_of_a_link = 100;   // without -v: each is to be mended, but a million are not read

std::vector<std::string> where_it_led(const CheckedLink& link, const TextOptions& options) {
  const storage::Snapshot& snapshot = link.record.snapshot;
  std::vector<std::string> steps;
  if (snapshot.redirects.empty()) return steps;
  if (!options.verbose)
    return {"→ " + (snapshot.final_url.empty() ? snapshot.redirects.back().to : snapshot.final_url)};
  for (const storage::Redirect& hop : snapshot.redirects) steps.push_back(fmt::format("{} → {}", hop.status, hop.to));
  return steps;
}

// "Host silent in 3 runs." as "host silent in 3 runs".
std::string as_clause(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  if (!sentence.empty() && sentence.front() >= 'A' && sentence.front() <= 'Z') sentence.front() += 'a' - 'A';
  return sentence;
}

}  // namespace

std::size_t shown(std::size_t size, std::size_t limit, const TextOptions& options) {
  return options.verbose || size <= limit + 1 ? size : limit;
}

std::string and_more(std::size_t hidden) { return fmt::format("… and {} more (-v shows all)", hidden); }

void write_links(TextWriter& writer, const storage::CheckedLinks& links, const LinkList& list, std::size_t number,
                 const TextOptions& options, std::size_t indent,
                 const std::function<std::string(const CheckedLink&)>& headline) {
  std::vector<TextEntry> entries;
  for (std::size_t i = 0; i < number; ++i) {
    const CheckedLink link = links.at(list[i]);
    entries.push_back(entry_of(link, headline(link), options));
    if (entries.size() < aligned_together && i + 1 < number) continue;
    writer.entries(entries, indent);
    entries.clear();
  }
  if (number < list.size()) {
    writer.line(fmt::format("{:{}}{}", "", indent, and_more(list.size() - number)), Tone::faint);
  }
}

// "expired on 2024-05-01" belongs to the words of a certificate, "3 runs in a row" to those of what died by strikes.
std::string explained(const CheckedLink& link) {
  const storage::Verdict& verdict = link.entry.verdict;
  // The runs are its host's, which no record of the link knows.
  if (verdict.reason == storage::reason::host_silent && !verdict.evidence.empty()) return as_clause(verdict.evidence);
  std::string words = reason_in_words(verdict);
  const std::optional<storage::Certificate>& certificate = link.record.snapshot.certificate;
  if (verdict.health == storage::Health::insecure && certificate && certificate->expires) {
    const bool expired = verdict.reason == storage::reason::tls_expired;
    words += fmt::format("{} {}", expired ? " on" : ", valid until", day(*certificate->expires));
  }
  if (verdict.rule == "strikes" && link.record.first_failed) {
    words += fmt::format(", in {} since {}", counted(static_cast<std::size_t>(link.record.strikes), "run"),
                         day(*link.record.first_failed));
  }
  return words;
}

std::string explained_with_advice(const CheckedLink& link) {
  const std::string words = explained(link);
  const std::string what_to_do = advice(link.entry.verdict, link.record.snapshot);
  return what_to_do.empty() ? words : fmt::format("{} — {}", words, what_to_do);
}

TextEntry entry_of(const CheckedLink& link, std::string headline, const TextOptions& options) {
  TextEntry entry;
  entry.subject = link_url(link);
  entry.remarks = where_it_led(link, options);
  if (!headline.empty()) entry.remarks.push_back(std::move(headline));
  const std::string& evidence = link.entry.verdict.evidence;
  if (options.verbose && !evidence.empty()) entry.remarks.push_back(evidence);
  const std::vector<parser::LinkOccurrence>& occurrences = link.entry.occurrences;
  if (!occurrences.empty()) entry.place = place(occurrences.front());
  if (occurrences.size() < 2) return entry;
  std::vector<std::string> others;
  const std::size_t named = 1 + shown(occurrences.size() - 1, places_of_a_link, options);
  for (std::size_t i = 1; i < named; ++i) others.push_back(place(occurrences[i]));
  std::ranges::move(wrapped("also at", others), std::back_inserter(entry.remarks));
  if (named < occurrences.size()) entry.remarks.push_back("  " + and_more(occurrences.size() - named));
  return entry;
}

}  // namespace linkherd::reports
