#include "reports/text_report.h"

#include <chrono>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "reports/harvested.h"
#include "reports/naming.h"
#include "reports/summary.h"
#include "reports/text_sections.h"
#include "reports/text_writer.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::RunState;

std::string seconds(Duration duration) {
  const double value = std::chrono::duration<double>(duration).count();
  return fmt::format("{:.{}f} s", value, value < 9.95 ? 1 : 0);
}

// "253 links, 239 unique, 61 hosts, 48 s, store .linkherd"; from the store it opens with which run it was, and when.
std::string header(const Report& report) {
  const Summary& summary = report.overview.summary;
  std::string text;
  if (!report.elapsed) {
    const Timestamp when = report.run.finished_at.value_or(report.run.started_at);
    text = fmt::format("Run {} of {}: ", report.run.number, minute(when));
  }
  text += fmt::format("{}, {} unique, {}", counted(summary.occurrences, "link"), summary.links,
                      counted(summary.hosts, "host"));
  if (report.elapsed) text += ", " + seconds(*report.elapsed);
  return text + (report.store.empty() ? ", no store" : ", store " + report.store);
}

// How to see what the first screen leaves out.
std::string ways_to_details(const Report& report) {
  if (report.store.empty()) return "Details: -v or --format json";
  if (!report.elapsed) return "Details: -v or --format json, and linkherd history URL";
  const bool is_usual = std::filesystem::path(report.store).filename() == ".linkherd";
  return fmt::format("Details: -v or --format json; without another check: linkherd report -v{}",
                     is_usual ? "" : " --store " + report.store);
}

void write_interruption(TextWriter& writer, const Report& report) {
  if (report.run.state != RunState::interrupted && report.run.state != RunState::open) return;
  writer.line(fmt::format("Interrupted: {} of {} not reached. The same command goes on from here.",
                          report.overview.sections.cut_short, counted(report.overview.summary.links, "link")),
              Tone::bad);
}

// What politeness alone makes a run take, where that is worth a word.
void write_pace(TextWriter& writer, const Report& report, const TextOptions& options) {
  constexpr Duration long_run = std::chrono::seconds(30);
  if (!options.verbose && (!report.elapsed || *report.elapsed < long_run)) return;
  for (const PaceBound& bound : report.pace) {
    writer.line(fmt::format("Politeness: {}", pace_in_words(bound)), Tone::faint);
  }
}

void write_sections(TextWriter& writer, const Report& report, const TextOptions& options) {
  write_broken(writer, report, report.overview.sections.broken, options);
  write_doubtful(writer, report, options);
  write_moved(writer, report, options);
  write_repeated(writer, report, options);
  write_unverified(writer, report, options);
  write_unanswered(writer, report, options);
  write_put_off(writer, report, options);
  write_skipped(writer, report, options);
  if (options.verbose) write_fine(writer, report, options);
}

}  // namespace

void write_text(std::ostream& out, const Report& report, const TextOptions& options) {
  TextWriter writer(out, options.color);
  write_interruption(writer, report);
  writer.line(header(report), Tone::strong);
  write_pace(writer, report, options);
  if (report.run.state == RunState::outage) {
    writer.line(
        "Outage: our own network failed, so this says nothing about the links. Run it again when the network is back.",
        Tone::bad);
    if (!options.verbose) return write_broken(writer, report, report.overview.sections.broken_locally, options);
  }
  write_sections(writer, report, options);
  if (options.verbose) {
    write_harvested(writer, *report.links, report.overview.harvested);
    return;
  }
  writer.blank();
  writer.line(fmt::format("{} fine", report.overview.sections.fine.size()), Tone::good);
  const std::string harvested = harvested_in_figures(report.overview.harvested);
  if (!harvested.empty()) writer.line(harvested);
  writer.line(ways_to_details(report), Tone::faint);
}

}  // namespace linkherd::reports
