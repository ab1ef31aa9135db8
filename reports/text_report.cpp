#include "reports/text_report.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/escape.h"
#include "reports/place_reader.h"
#include "reports/text_writer.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::RunState;

constexpr std::size_t first_screen = 20;        // entries of a section without -v
constexpr std::size_t aligned_together = 1000;  // entries in memory at a time
constexpr std::size_t places_of_a_link = 100;   // without -v
constexpr std::size_t places_of_a_group = 10;   // without -v
constexpr std::size_t links_of_a_host = 3;      // without -v: the links that one host refuses are mostly alike
constexpr std::size_t entry_indent = 2;
constexpr std::size_t date_width = 10;
constexpr std::size_t title_width = 48;
constexpr std::size_t authors_width = 24;

// --- parts of a section

// How many of `size` to show. Never all but one: the line that says so would take the place of the one.
std::size_t shown(std::size_t size, std::size_t limit, const TextOptions& options) {
  return options.verbose || size <= limit + 1 ? size : limit;
}

// "… and 23 more (-v shows all)".
std::string and_more(std::size_t hidden) { return fmt::format("… and {} more (-v shows all)", hidden); }

std::vector<std::string> redirects_of(const CheckedLink& link, const TextOptions& options) {
  const storage::Snapshot& snapshot = link.record.snapshot;
  std::vector<std::string> steps;
  if (snapshot.redirects.empty()) return steps;
  if (!options.verbose)
    return {"→ " + (snapshot.final_url.empty() ? snapshot.redirects.back().to : snapshot.final_url)};
  for (const storage::Redirect& hop : snapshot.redirects) steps.push_back(fmt::format("{} → {}", hop.status, hop.to));
  return steps;
}

// The redirects, `headline`, an archived copy, with -v the evidence, and all other places.
TextEntry link_entry(const CheckedLink& link, std::string headline, const TextOptions& options) {
  TextEntry entry;
  entry.subject = link_url(link);
  entry.remarks = redirects_of(link, options);
  if (!headline.empty()) entry.remarks.push_back(std::move(headline));
  if (const storage::ArchivedCopy* copy = suggested_copy(link))
    entry.remarks.push_back(fmt::format("archived on {}: {}", day(copy->date), copy->url));
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

// The first `number` links of `list` as entries, and how many more there are. `headline`: what to say of a link.
void write_links(TextWriter& writer, const storage::CheckedLinks& links, const LinkList& list, std::size_t number,
                 const TextOptions& options, std::size_t indent,
                 const std::function<std::string(const CheckedLink&)>& headline) {
  std::vector<TextEntry> entries;
  for (std::size_t i = 0; i < number; ++i) {
    const CheckedLink link = links.at(list[i]);
    entries.push_back(link_entry(link, headline(link), options));
    if (entries.size() < aligned_together && i + 1 < number) continue;
    writer.entries(entries, indent);
    entries.clear();
  }
  if (number < list.size()) {
    writer.line(fmt::format("{:{}}{}", "", indent, and_more(list.size() - number)), Tone::faint);
  }
}

std::string no_headline(const CheckedLink& /*link*/) { return {}; }

std::size_t links_in(const std::vector<LinkGroup>& groups) {
  const auto with = [](std::size_t sum, const LinkGroup& group) { return sum + group.links.size(); };
  return std::accumulate(groups.begin(), groups.end(), std::size_t{0}, with);
}

// Each cause with its number of links; with -v the links as well.
void write_causes(TextWriter& writer, const Report& report, const std::vector<LinkGroup>& causes,
                  const TextOptions& options) {
  const std::size_t number = shown(causes.size(), first_screen, options);
  for (std::size_t i = 0; i < number; ++i) {
    const LinkGroup& cause = causes[i];
    writer.line(fmt::format("{:>5}  {}", cause.links.size(), cause.words));
    if (options.verbose) {
      write_links(writer, *report.links, cause.links, cause.links.size(), options, entry_indent + 5, no_headline);
    }
  }
  if (number < causes.size()) writer.line("  " + and_more(causes.size() - number), Tone::faint);
}

// --- the sections, in the order in which they are printed; an empty one writes nothing

void write_broken(TextWriter& writer, const Report& report, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Broken", links.size(), Tone::bad);
  write_links(writer, *report.links, links, links.size(), options, entry_indent, explained_with_advice);  // always all
}

void write_accepted(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.accepted;
  if (links.empty()) return;
  writer.title("Accepted", links.size(), Tone::faint, "known failures, not counted");
  const std::size_t number = shown(links.size(), first_screen, options);
  std::size_t next = 0;  // headlines are asked for in the order of the links
  const auto with_acceptance = [&report, &links, &next](const CheckedLink& link) {
    const Acceptance& acceptance = report.accepted.at(links[next++]);
    return fmt::format("{}; accepted until {}{}: {}", explained(link), acceptance.until,
                       acceptance.by.empty() ? "" : " by " + acceptance.by, acceptance.reason);
  };
  write_links(writer, *report.links, links, number, options, entry_indent, with_acceptance);
}

void write_suspect(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.suspect;
  if (links.empty()) return;
  writer.title("Perhaps broken", links.size(), Tone::notable, "suspect; the next run looks again");
  const std::size_t number = shown(links.size(), first_screen, options);
  write_links(writer, *report.links, links, number, options, entry_indent, explained_with_advice);
}

void write_noted(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.noted;
  if (links.empty()) return;
  writer.title("Worth knowing", links.size(), Tone::notable, "archived, renamed, withdrawn");
  const auto facts = [](const CheckedLink& link) {
    std::string texts;
    for (const storage::Fact& fact : link.record.snapshot.facts) texts += (texts.empty() ? "" : "; ") + fact.text;
    return texts;
  };
  write_links(writer, *report.links, links, shown(links.size(), first_screen, options), options, entry_indent, facts);
}

void write_moved(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.moved;
  if (links.empty()) return;
  const storage::Verdict moved{storage::Health::redirected, std::string(storage::reason::moved_permanently), "", "",
                               1.0};
  const std::string usual = advice(moved, {});
  writer.title("Moved permanently", links.size(), Tone::notable, usual);
  const auto unusual_advice = [&usual](const CheckedLink& link) {
    std::string what_to_do = advice(link.entry.verdict, link.record.snapshot);
    return what_to_do == usual ? std::string() : what_to_do;
  };
  const std::size_t number = shown(links.size(), first_screen, options);
  write_links(writer, *report.links, links, number, options, entry_indent, unusual_advice);
}

std::string place_in_words(const EntryPlace& place) {
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

// The first place with its URL, then the others: those with the same URL in one row, the rest each with its own.
TextEntry group_entry(PlaceReader& places, const DuplicateGroup& group, const TextOptions& options) {
  const EntryPlace first = places.place(group.entries.front());
  TextEntry entry{place_in_words(first), first.url, {}};
  const std::size_t number = 1 + shown(group.entries.size() - 1, places_of_a_group, options);
  std::vector<std::string> same, different;
  for (std::size_t i = 1; i < number; ++i) {
    const EntryPlace& other = places.place(group.entries[i]);
    if (other.url == first.url) {
      same.push_back(place_in_words(other));
    } else {
      different.push_back(fmt::format("also at {}  {}", place_in_words(other), other.url));
    }
  }
  if (!same.empty()) entry.remarks = wrapped("also at", same);
  entry.remarks.insert(entry.remarks.end(), different.begin(), different.end());
  if (number < group.entries.size()) entry.remarks.push_back(and_more(group.entries.size() - number));
  return entry;
}

// Badges, mentions in the text of another entry, prose.
void write_mentions(TextWriter& writer, const Report& report) {
  if (report.repeated_mentions == 0) return;
  writer.line(fmt::format("repeated as badge or mention: {} (--duplicates mentions shows them)",
                          counted(report.repeated_mentions, "link")),
              Tone::faint);
}

void write_repeated(TextWriter& writer, const Report& report, const TextOptions& options) {
  if (report.duplicates.empty()) return;
  writer.title("Repeated", report.duplicates.size(), Tone::notable, "the same page listed more than once");

  std::map<std::pair<DuplicateLayer, bool>, std::vector<const DuplicateGroup*>> by_layer;  // the most certain first
  std::size_t left = shown(report.duplicates.size(), first_screen, options);
  const std::size_t hidden = report.duplicates.size() - left;
  for (const DuplicateGroup& group : report.duplicates) {
    if (group.shared_links == 0) {
      by_layer[{group.layer, !group.certain}].push_back(&group);
    } else if (left > 0) {
      --left;
      writer.subtitle(
          fmt::format("parallel lists with {} in common: {}", counted(group.shared_links, "link"), group.what));
    }
  }
  PlaceReader places(*report.links);
  for (const auto& [kind, groups] : by_layer) {
    std::vector<TextEntry> entries;
    for (const DuplicateGroup* group : groups) {
      if (left == 0) break;
      --left;
      entries.push_back(group_entry(places, *group, options));
    }
    if (entries.empty()) break;
    writer.subtitle(layer_in_words(kind.first, !kind.second));
    writer.entries(entries, 4);
  }
  if (hidden > 0) writer.line("  " + and_more(hidden), Tone::faint);
}

// The reason is written once for the host where all its links have the same, otherwise for each link.
void write_host(TextWriter& writer, const Report& report, const LinkGroup& host, std::size_t number,
                const TextOptions& options) {
  const bool alike = host.alike;
  writer.subtitle(fmt::format("{} ({}){}{}", host.name, host.links.size(), alike ? ": " : "", alike ? host.words : ""));
  const auto headline = [alike](const CheckedLink& link) {
    return alike ? std::string() : explained_with_advice(link);
  };
  write_links(writer, *report.links, host.links, number, options, 4, headline);
}

void write_blocked(TextWriter& writer, const Report& report, const TextOptions& options) {
  // The host with the most links first; hosts with equally many in the order of the lists.
  std::vector<const LinkGroup*> hosts;
  for (const LinkGroup& host : report.overview.sections.blocked) hosts.push_back(&host);
  if (hosts.empty()) return;
  std::ranges::stable_sort(hosts, std::ranges::greater(), [](const LinkGroup* host) { return host->links.size(); });

  writer.title("Could not verify", links_in(report.overview.sections.blocked), Tone::strong,
               "refused us; not failures");
  std::size_t left = first_screen;
  std::size_t hidden_links = 0;
  std::size_t hidden_hosts = 0;
  for (const LinkGroup* host : hosts) {
    const std::size_t number = shown(host->links.size(), links_of_a_host, options);
    if (!options.verbose && number > left) {
      left = 0;  // the largest come first: all that follow are left out
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

void write_unreachable(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.unreachable;
  if (links.empty()) return;
  writer.title("No answer", links.size(), Tone::strong, "not yet counted as broken");
  const auto with_strikes = [most = report.run.strikes](const CheckedLink& link) {
    const int strikes = link.record.strikes;
    if (strikes < 1) return explained(link);
    if (strikes > most) return fmt::format("{} (strike {})", explained(link), strikes);
    return fmt::format("{} (strike {} of {})", explained(link), strikes, most);
  };
  const std::size_t number = shown(links.size(), first_screen, options);
  write_links(writer, *report.links, links, number, options, entry_indent, with_strikes);
}

void write_certificates(TextWriter& writer, const Report& report, const TextOptions& options) {
  const std::vector<EndingCertificate>& all = report.overview.certificates;
  if (all.empty()) return;
  writer.title("Certificates that end soon", all.size(), Tone::notable, "tell the sites' owners to renew them");
  const std::size_t number = shown(all.size(), first_screen, options);
  for (const EndingCertificate& one : std::span(all).first(number)) {
    writer.subtitle(fmt::format("{}: {} ({})", one.host, ending_in_words(one, report.certificate_watch.now),
                                counted(one.links, "link")));
  }
  if (number < all.size()) writer.line("  " + and_more(all.size() - number), Tone::faint);
}

void write_deferred(TextWriter& writer, const Report& report, const TextOptions& options) {
  const std::vector<LinkGroup>& causes = report.overview.sections.deferred;
  if (causes.empty()) return;
  writer.title("Put off", links_in(causes), Tone::strong, "not judged in this run");
  write_causes(writer, report, causes, options);
}

void write_skipped(TextWriter& writer, const Report& report, const TextOptions& options) {
  const std::vector<LinkGroup>& causes = report.overview.sections.skipped;
  if (causes.empty()) return;
  writer.title("Skipped", links_in(causes), Tone::strong);
  write_causes(writer, report, causes, options);
}

void write_fine(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.fine;
  if (links.empty()) return;
  writer.title("Fine", links.size(), Tone::good);
  const auto from_store = [](const CheckedLink& link) {
    if (!link.entry.from_store) return std::string();
    return "not asked again, seen on " + minute(link.record.snapshot.fetched_at);
  };
  write_links(writer, *report.links, links, links.size(), options, entry_indent, from_store);
}

// --- metadata

// Escaped before it is measured: escaping changes the width.
std::string cell(std::string_view text, std::size_t width) {
  return padded(shortened(escape_for_terminal(text.empty() ? "-" : text), width), width);
}

std::string row(std::string_view date, std::string_view title, std::string_view authors, std::string_view url) {
  return fmt::format("  {}  {}  {}  {}", cell(date, date_width), cell(title, title_width), cell(authors, authors_width),
                     url);
}

// "241 pages harvested: 239 titles, 180 authors, 201 dates"; empty where there is no metadata.
std::string metadata_counts(const MetadataCounts& counts) {
  if (counts.pages == 0) return "";
  return fmt::format("{} harvested: {}, {}, {}", counted(counts.pages, "page"), counted(counts.titles, "title"),
                     counted(counts.authors, "author"), counted(counts.dates, "date"));
}

// Date, title, authors and URL of each page. Titles and authors are cut to the width of their column; machine output
// has them in full.
void write_metadata(TextWriter& writer, const Report& report) {
  const storage::CheckedLinks& links = *report.links;
  const MetadataCounts& counts = report.overview.metadata;
  if (counts.pages == 0) return;
  writer.blank();
  writer.line(metadata_counts(counts), Tone::strong);
  writer.line(row("date", "title", "authors", "address"), Tone::faint);
  for (std::size_t number = 0; number < links.size(); ++number) {
    const CheckedLink link = links.at(number);
    if (!has_metadata(link)) continue;
    const parser::Metadata& metadata = link.record.snapshot.metadata;
    const std::string_view date =
        metadata.published ? std::string_view(metadata.published->value).substr(0, date_width) : std::string_view();
    const std::string_view title = metadata.title ? std::string_view(metadata.title->value) : std::string_view();
    const std::string authors = metadata.authors ? fmt::format("{}", fmt::join(metadata.authors->value, ", ")) : "";
    writer.line(row(date, title, authors, link_url(link)));
  }
}

// --- the lines around the sections

std::string format_seconds(Duration duration) {
  const double value = std::chrono::duration<double>(duration).count();
  return fmt::format("{:.{}f} s", value, value < 9.95 ? 1 : 0);
}

// "253 links, 239 unique, 61 hosts, 48 s, store .linkherd"; a report from the store begins with the number, the time
// and the inputs of the run.
std::string header(const Report& report) {
  const Summary& summary = report.overview.summary;
  std::string text;
  if (!report.elapsed) {
    const Timestamp when = report.run.finished_at.value_or(report.run.started_at);
    text = fmt::format("Run {} of {}, {}: ", report.run.number, minute(when), inputs_in_words(report.run.inputs));
  }
  text += fmt::format("{}, {} unique, {}", counted(summary.occurrences, "link"), summary.links,
                      counted(summary.hosts, "host"));
  if (report.elapsed) text += ", " + format_seconds(*report.elapsed);
  return text + (report.store.empty() ? ", no store" : ", store " + report.store);
}

// How to see what is left out without -v.
std::string ways_to_details(const Report& report) {
  if (report.store.empty()) return "Details: -v or --format json";
  const bool is_usual = std::filesystem::path(report.store).filename() == ".linkherd";
  const std::string option = is_usual ? "" : " --store " + report.store;
  if (!report.elapsed) return fmt::format("Details: -v or --format json, and linkherd history{} URL", option);
  return fmt::format("Details: -v or --format json; without another check: linkherd report -v{}", option);
}

// Says which inputs have runs that this report does not show.
void write_other_runs(TextWriter& writer, const Report& report) {
  constexpr std::size_t most_named = 3;
  if (report.other_runs.empty()) return;
  std::string others;
  for (std::size_t i = 0; i < std::min(most_named, report.other_runs.size()); ++i) {
    const storage::Run& run = report.other_runs[i];
    others += fmt::format("{}{} (run {} of {})", i == 0 ? "" : "; ", inputs_in_words(run.inputs), run.number,
                          day(run.finished_at.value_or(run.started_at)));
  }
  if (report.other_runs.size() > most_named)
    others += fmt::format("; and {} more", report.other_runs.size() - most_named);
  writer.line(
      fmt::format("Not shown: runs of {}. `linkherd report INPUT...` shows the latest of these inputs.", others),
      Tone::faint);
}

void write_interruption(TextWriter& writer, const Report& report) {
  if (report.run.state != RunState::interrupted && report.run.state != RunState::open) return;
  writer.line(fmt::format("Interrupted: {} of {} not reached.{}", report.overview.sections.not_reached,
                          counted(report.overview.summary.links, "link"),
                          report.store.empty() ? "" : " The same command goes on from here."),
              Tone::bad);
}

// The hosts whose request interval decided how long the run took, for long runs and with -v.
void write_pace(TextWriter& writer, const Report& report, const TextOptions& options) {
  constexpr Duration long_run = std::chrono::seconds(30);
  if (!options.verbose && (!report.elapsed || *report.elapsed < long_run)) return;
  for (const storage::PaceBound& bound : report.pace) {
    writer.line(fmt::format("Politeness: {}", pace_in_words(bound)), Tone::faint);
  }
}

void write_sections(TextWriter& writer, const Report& report, const TextOptions& options) {
  write_broken(writer, report, report.overview.sections.broken, options);
  write_accepted(writer, report, options);
  write_suspect(writer, report, options);
  write_moved(writer, report, options);
  write_noted(writer, report, options);
  write_repeated(writer, report, options);
  write_blocked(writer, report, options);
  write_unreachable(writer, report, options);
  write_certificates(writer, report, options);
  write_deferred(writer, report, options);
  write_skipped(writer, report, options);
  if (options.verbose) write_fine(writer, report, options);
}

}  // namespace

void write_text(std::ostream& out, const Report& report, const TextOptions& options) {
  TextWriter writer(out, options.color);
  write_interruption(writer, report);
  writer.line(header(report), Tone::strong);
  write_other_runs(writer, report);
  if (report.run.shard)
    writer.line(fmt::format("Part {} of the links of the inputs.", in_words(*report.run.shard)), Tone::faint);
  if (report.run.is_partial) writer.line("Only some links of the inputs, by what the store has of them.", Tone::faint);
  write_pace(writer, report, options);
  if (report.run.state == RunState::outage) {
    writer.line(
        "Outage: our own network failed, so this says nothing about the links. Run it again when the network is back.",
        Tone::bad);
    if (!options.verbose) return write_broken(writer, report, report.overview.sections.broken_locally, options);
  }
  write_sections(writer, report, options);
  if (options.verbose) {
    write_mentions(writer, report);
    write_metadata(writer, report);
    return;
  }
  writer.blank();
  writer.line(fmt::format("{} fine", report.overview.sections.fine.size()), Tone::good);
  write_mentions(writer, report);
  const std::string counts = metadata_counts(report.overview.metadata);
  if (!counts.empty()) writer.line(counts);
  writer.line(ways_to_details(report), Tone::faint);
}

}  // namespace linkherd::reports
