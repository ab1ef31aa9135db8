#include "reports/text_sections.h"

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;

constexpr std::size_t indent = 2;

std::string no_headline(const CheckedLink& /*link*/) { return {}; }

// Causes with their numbers; in the long form the links as well.
void write_causes(TextWriter& writer, const Report& report, const std::vector<LinkGroup>& causes,
                  const TextOptions& options) {
  const std::size_t number = shown(causes.size(), first_screen, options);
  for (std::size_t i = 0; i < number; ++i) {
    const LinkGroup& cause = causes[i];
    writer.line(fmt::format("{:>5}  {}", cause.links.size(), cause.words));
    if (options.verbose) {
      write_links(writer, *report.links, cause.links, cause.links.size(), options, indent + 5, no_headline);
    }
  }
  if (number < causes.size()) writer.line("  " + and_more(causes.size() - number), Tone::faint);
}

}  // namespace

void write_broken(TextWriter& writer, const Report& report, const LinkList& links, const TextOptions& options) {
  if (links.empty()) return;
  writer.title("Broken", links.size(), Tone::bad);
  write_links(writer, *report.links, links, links.size(), options, indent, explained_with_advice);  // always all
}

void write_doubtful(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.doubtful;
  if (links.empty()) return;
  writer.title("Perhaps broken", links.size(), Tone::notable, "warnings, not failures");
  const std::size_t number = shown(links.size(), first_screen, options);
  write_links(writer, *report.links, links, number, options, indent, explained_with_advice);
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
  write_links(writer, *report.links, links, number, options, indent, unusual_advice);
}

void write_unanswered(TextWriter& writer, const Report& report, const TextOptions& options) {
  const LinkList& links = report.overview.sections.unanswered;
  if (links.empty()) return;
  writer.title("No answer", links.size(), Tone::strong, "not yet counted as broken");
  const auto with_strikes = [most = report.run.strikes](const CheckedLink& link) {
    const int strikes = link.record.strikes;
    if (strikes < 1) return explained(link);
    if (strikes > most) return fmt::format("{} (strike {})", explained(link), strikes);
    return fmt::format("{} (strike {} of {})", explained(link), strikes, most);
  };
  const std::size_t number = shown(links.size(), first_screen, options);
  write_links(writer, *report.links, links, number, options, indent, with_strikes);
}

void write_put_off(TextWriter& writer, const Report& report, const TextOptions& options) {
  const std::vector<LinkGroup>& causes = report.overview.sections.put_off;
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
  write_links(writer, *report.links, links, links.size(), options, indent, from_store);
}

}  // namespace linkherd::reports
