#include "reports/report_rows.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/text_writer.h"
#include "storage/spill_file.h"

namespace linkherd::reports {
namespace {

using storage::Health;

constexpr std::size_t max_brief_columns = 300;  // GitHub and others cut messages of several kilobytes

bool fails_run(const Report& report, Health health) {
  const std::vector<Health>& fail_on = report.policy.fail_on;
  return std::ranges::find(fail_on, health) != fail_on.end();
}

ReportRow with_level(const Report& report, ReportRow row) {
  row.level = level_of_link(report, row.section, row.health);
  return row;
}

std::vector<std::uint32_t> links_of(std::span<const ReportRow> rows) {
  std::vector<std::uint32_t> links;
  links.reserve(rows.size());
  for (const ReportRow& row : rows) links.push_back(row.link);
  return links;
}

std::string format_seconds(Duration duration) {
  const double value = std::chrono::duration<double>(duration).count();
  return fmt::format("{:.{}f} s", value, value < 9.95 ? 1 : 0);
}

}  // namespace

Level level_of_link(const Report& report, Section section, Health health) {
  const bool counts = section != Section::accepted && section != Section::noted;
  if (counts && fails_run(report, health)) return Level::error;
  switch (section) {
    case Section::fine: return Level::none;
    case Section::dead:
    case Section::insecure:
    case Section::suspect:
    case Section::content_drift: return Level::warning;
    default: return Level::note;
  }
}

std::vector<ReportRow> rows(const Report& report, Section section) {
  const Sections& sections = report.sections;
  std::vector<ReportRow> rows;
  if (section == Section::changes) {
    for (const ReportRow& row : sections.by_link) {
      if (is_news(row)) rows.push_back(with_level(report, row));
    }
    std::ranges::stable_sort(rows, {}, [](const ReportRow& row) { return row.change->change; });
    return rows;
  }
  rows.reserve(sections.of(section).size());
  for (const std::uint32_t link : sections.of(section)) {
    ReportRow row = sections.by_link[link];
    row.section = section;
    rows.push_back(with_level(report, row));
  }
  return rows;
}

std::vector<ReportRow> rows(const Report& report) {
  std::vector<ReportRow> all;
  for (const auto& [section, name] : section_names) {
    if (section == Section::noted || section == Section::changes) continue;
    const std::vector<ReportRow> some = rows(report, section);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void for_each_row(const Report& report, const VisitRow& visit) {
  for (const auto& [section, name] : section_names) {
    if (section == Section::changes || count_rows(report, section) == 0) continue;
    for (const ReportRow& row : rows(report, section)) {
      if (row.level != Level::none) visit(row, report.links->at(row.link));
    }
  }
}

void for_each_row_unsorted(const Report& report, std::span<const ReportRow> rows, const VisitRow& visit) {
  const std::vector<std::uint32_t> links = links_of(rows);
  if (links.size() < report.links->size()) {
    report.links->for_each_of(links, [&](std::size_t position, const storage::CheckedLink& link) {
      visit(rows[position], link);
      return true;
    });
    return;
  }
  std::vector<std::uint32_t> positions(links.size());  // by the number of the link
  for (std::uint32_t i = 0; i < links.size(); ++i) positions[links[i]] = i;
  report.links->for_each(
      [&](std::size_t number, const storage::CheckedLink& link) { visit(rows[positions[number]], link); });
}

void write_rows(std::ostream& out, const Report& report, std::span<const ReportRow> rows, const RenderRow& render,
                const AppendRow& append) {
  constexpr std::size_t bytes_at_once = std::size_t{64} << 10;
  storage::SpillFile texts;
  std::vector<storage::SpillFile::Extent> extents(rows.size());
  std::string text;
  report.links->for_each_of(links_of(rows), [&](std::size_t position, const storage::CheckedLink& link) {
    text.clear();
    render(rows[position], link, text);
    extents[position] = texts.add(text);
    return true;
  });
  text.clear();
  for (std::size_t position = 0; position < rows.size(); ++position) {
    append(position, texts.read(extents[position]), text);
    if (text.size() < bytes_at_once) continue;
    out << text;
    text.clear();
  }
  out << text;
}

std::size_t find_shown_occurrence(const std::vector<parser::LinkOccurrence>& occurrences) {
  const auto main = std::ranges::find_if(occurrences, [](const parser::LinkOccurrence& one) {
    return one.role == parser::LinkRole::main && !one.text.empty();
  });
  if (main != occurrences.end()) return static_cast<std::size_t>(main - occurrences.begin());
  const auto with_words =
      std::ranges::find_if(occurrences, [](const parser::LinkOccurrence& one) { return !one.text.empty(); });
  return with_words == occurrences.end() ? 0 : static_cast<std::size_t>(with_words - occurrences.begin());
}

ReasonParts reason_parts(const ReportRow& row, const storage::CheckedLink& link) {
  if (row.section == Section::noted) return {brief(describe_facts(link.state.snapshot)), {}, {}};
  ReasonParts parts{brief(explained(link)), {}, {}};
  if (row.section == Section::moved) {
    parts.lead += " to ";
    parts.target = link.state.snapshot.final_url;
  }
  const storage::Relocation* const relocation = suggested_relocation(link);
  if (relocation != nullptr) {
    parts.lead += fmt::format("; {} ", describe_level(relocation->level));
    parts.target = relocation->url;
    parts.rest = fmt::format(" ({})", brief(describe_evidence(*relocation)));
  }
  if (row.change && is_news(row.change->change)) parts.rest += fmt::format(" ({})", describe_before(*row.change));
  const std::string& advice = row.cause->advice;
  if (row.section != Section::accepted && !advice.empty() && relocation == nullptr) parts.rest += ": " + advice;
  return parts;
}

std::string row_reason(const ReportRow& row, const storage::CheckedLink& link) {
  const ReasonParts parts = reason_parts(row, link);
  return parts.lead + brief(readable_url(parts.target)) + parts.rest;
}

std::string clickable_url(std::string_view url) {
  constexpr std::size_t max_length = 2000;  // terminals reject longer ones
  const auto parsed = parser::Url::parse(url);
  if (parsed.has_error() || !parsed->is_http() || parsed->href().size() > max_length) return {};
  return std::string(parsed->href());
}

std::string describe_row(const ReportRow& row, const storage::CheckedLink& link) {
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  const std::string written = occurrences.empty() ? std::string(link_url(link)) : occurrences.front().url;
  const std::string words = occurrences.empty() ? std::string() : brief(occurrences.front().text);
  const std::string url = brief(readable_url(written));
  std::string text = words.empty() || words == url ? url : fmt::format("{} ({})", url, words);
  return fmt::format("{} — {}", text, row_reason(row, link));
}

std::string brief(std::string_view text) {
  return shortened(one_line(truncate_utf8(text, 4 * max_brief_columns)), max_brief_columns);
}

std::string describe_duplicates(const DuplicateGroup& group) {
  return fmt::format("the same page is listed at {} ({})", brief(format_location(group.entries.front())),
                     describe_layer(group.layer, group.is_certain));
}

std::string describe_ending_certificate(const Report& report, const EndingCertificate& certificate) {
  return fmt::format("{}: {} ({})", brief(certificate.host), describe_ending(certificate, report.now),
                     counted(certificate.links, "link"));
}

EntryLocation certificate_location(const Report& report, const EndingCertificate& certificate) {
  const std::vector<parser::LinkOccurrence> occurrences = report.links->occurrences(certificate.first_link);
  if (occurrences.empty()) return {};
  const parser::LinkOccurrence& first = occurrences.front();
  return {certificate.first_link, first.url, first.file, first.line, first.column};
}

std::string repository_path(const Report& report, const std::string& file) {
  namespace fs = std::filesystem;
  if (report.repository.empty() || file.find("://") != std::string::npos) return file;
  const fs::path path = (fs::path(report.folder) / file).lexically_normal();
  const fs::path below = path.lexically_relative(report.repository);
  return below.empty() || *below.begin() == ".." ? file : below.string();
}

void for_each_notice(const Report& report, const std::function<void(const Notice& notice)>& visit) {
  for (const DuplicateGroup& group : report.duplicates) {
    const std::string words = describe_duplicates(group);
    for (const EntryLocation& entry : std::span(group.entries).subspan(1))
      visit({Section::duplicates, entry, words, entry.url});
  }
  for (const EndingCertificate& one : report.certificates) {
    visit(
        {Section::certificates, certificate_location(report, one), describe_ending_certificate(report, one), one.host});
  }
}

Level level_of(const Report& report, Section section) {
  const auto level = [&report, section](Health health) { return level_of_link(report, section, health); };
  switch (section) {
    case Section::dead: return level(Health::dead);
    case Section::insecure: return level(Health::insecure);
    case Section::suspect:
    case Section::content_drift: return level(Health::suspect);
    case Section::moved: return level(Health::redirected);
    case Section::blocked: return level(Health::blocked);
    case Section::unreachable: return level(Health::unreachable);
    case Section::deferred: return level(Health::deferred);
    case Section::skipped: return level(Health::skipped);
    case Section::fine: return count_rows(report, section) > 0 ? Level::error : Level::none;
    case Section::accepted:
    case Section::noted:
    case Section::duplicates:
    case Section::certificates:
    case Section::changes: break;
  }
  return Level::note;
}

std::size_t count_rows(const Report& report, Section section) {
  if (section != Section::fine) return size_of(report, section);
  std::size_t count = 0;
  for (const auto& [health, name] : storage::health_names) {
    if (fails_run(report, health)) count += report.sections.count(section, health).links;
  }
  return count;
}

std::string other_reason(const Report& report) {
  const bool is_by_links = report.outcome.exit_code == 0 || report.outcome.exit_code == 2;
  return is_by_links ? std::string() : brief(report.outcome.why);
}

std::size_t size_of(const Report& report, Section section) {
  if (section == Section::duplicates) return report.duplicates.size();
  if (section == Section::certificates) return report.certificates.size();
  if (section == Section::changes) return report.changes.news();
  return report.sections.of(section).size();
}

namespace {

std::string attention(std::size_t needing, std::size_t links) {
  return fmt::format("{} of {} {} attention", needing, counted(links, "link"), needing == 1 ? "needs" : "need");
}

// Returns the headline after an outage. Only the results of links to files are known then, so it is never good news.
std::string describe_outage(const Summary& summary) {
  constexpr std::string_view down = "your network seems to be down";
  if (summary.broken_locally == 0)
    return fmt::format("Nothing could be checked: {} ({})", down, counted(summary.links, "link"));
  return fmt::format("{}, and the rest could not be checked: {}", attention(summary.broken_locally, summary.links),
                     down);
}

// `needing` is the number of links that need attention.
std::string headline(const Summary& summary, std::size_t needing, std::size_t fine) {
  const std::size_t links = summary.links;
  if (links == 0) return "No links found";
  if (needing > 0) return attention(needing, links);
  return fine == links ? fmt::format("All links are fine ({})", links)
                       : fmt::format("No broken links ({})", counted(links, "link"));
}

}  // namespace

std::string summary_line(const Report& report) {
  const Summary& summary = report.summary;
  const auto with_counts = [&](const std::string& text) {
    std::string counts = fmt::format("{} · {}", text, counted(summary.occurrences, "occurrence"));
    if (summary.hosts > 0) counts += ", " + counted(summary.hosts, "host");  // links to files have none
    return report.elapsed ? counts + ", " + format_seconds(*report.elapsed) : counts;
  };
  if (report.run.state == storage::RunState::outage) return with_counts(describe_outage(summary));
  std::size_t needing = summary.broken();
  std::string others;
  for (const auto& [health, name] : storage::health_names) {
    const std::size_t number = summary.failing(health);
    const bool is_broken = health == Health::dead || health == Health::insecure;
    if (is_broken || number == 0 || (health != Health::suspect && !fails_run(report, health))) continue;
    needing += number;
    others += fmt::format(", {} {}", number, name);
  }
  // Links that fail the run are not counted as fine as well.
  std::size_t fine = summary.fine;
  if (fails_run(report, Health::alive)) fine -= summary.count(Health::alive);
  if (fails_run(report, Health::redirected)) fine -= summary.fine - summary.count(Health::alive);
  std::string text = headline(summary, needing, fine);
  if (!others.empty()) text += fmt::format(" ({} broken{})", summary.broken(), others);
  if (fine > 0 && fine < summary.links) text += fmt::format(" · {} fine", fine);
  return with_counts(text);
}

}  // namespace linkherd::reports
