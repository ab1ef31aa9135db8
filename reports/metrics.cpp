#include "reports/metrics.h"

#include <chrono>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "parser/utf8.h"
#include "reports/messages.h"

namespace linkherd::reports {
namespace {

std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char c : to_valid_utf8(std::string(text))) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string describe_labels(const MetricsWriter::Labels& labels) {
  std::string text;
  for (const auto& [label, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, label_value(value));
  return text;
}

}  // namespace

MetricsWriter::MetricsWriter(std::ostream& out, const Labels& common) : out_(out), common_(describe_labels(common)) {}

void MetricsWriter::family(std::string_view name, std::string_view help) {
  name_ = name;
  out_ << fmt::format("# HELP linkherd_{} {}\n# TYPE linkherd_{} gauge\n", name, help, name);
}

void MetricsWriter::sample(double value, const Labels& labels) {
  out_ << fmt::format("linkherd_{}{{{}{}{}}} {}\n", name_, common_, labels.empty() ? "" : ",", describe_labels(labels),
                      value);
}

void MetricsWriter::single(std::string_view name, std::string_view help, double value) {
  family(name, help);
  sample(value);
}

void write_metrics(std::ostream& out, const Report& report, std::optional<bool> was_notified) {
  const Summary& summary = report.summary;
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  MetricsWriter metrics(out, {{"inputs", describe_inputs(report.run.inputs)}});
  metrics.family("links", "Links of the run by result.");
  for (const auto& [health, name] : storage::health_names)
    metrics.sample(number(summary.count(health)), {{"health", std::string(name)}});
  metrics.single("accepted_links", "Links of the run whose failure is accepted.", number(summary.accepted_links()));
  if (report.changes.since) {
    metrics.family("changed_links", "Links of the run by change since the earlier run.");
    for (const auto& [change, name] : change_names)
      metrics.sample(number(report.changes.count(change)), {{"change", std::string(name)}});
  }
  metrics.single("repeated_pages", "Pages listed by more than one entry.", number(report.all_duplicates));
  metrics.single("ending_certificates", "Hosts whose certificate expires soon.", number(report.all_certificates));
  if (const std::optional<Duration> elapsed = elapsed_of(report))
    metrics.single("run_duration_seconds", "Duration of the run.", seconds(*elapsed));
  if (report.run.finished_at) {
    const auto end = std::chrono::floor<std::chrono::seconds>(*report.run.finished_at).time_since_epoch();
    metrics.single("run_end_timestamp_seconds", "End time of the run.", seconds(end));
  }
  metrics.single("run_complete", "Whether the run was complete.",
                 report.run.state == storage::RunState::complete ? 1 : 0);
  metrics.single("exit_code", "Exit code of the run: 0 fine, 2 broken links, 4 inconclusive.",
                 report.outcome.exit_code);
  if (was_notified)
    metrics.single("told", "Whether all notifications of the changes were sent.", *was_notified ? 1 : 0);
}

}  // namespace linkherd::reports
