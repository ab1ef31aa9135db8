// Helpers of the text report tests: a finished run, links with several occurrences, and the formatted report.
#pragma once

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "report_fixture.h"
#include "reports/report_formats.h"

namespace linkherd::reports {

inline std::string text_of(const ReportBuilder& made, const FormatOptions& options = {}) {
  std::ostringstream out;
  write_text(out, made.report(), options);
  return out.str();
}

using Writer = void (*)(std::ostream&, const Report&);

inline std::string written(Writer write, const Report& report) {
  std::ostringstream out;
  write(out, report);
  return out.str();
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

inline ReportBuilder finished() {
  ReportBuilder report;
  report.run.number = 12;
  report.run.state = storage::RunState::complete;
  report.run.strikes = 3;
  report.run.started_at = at("2026-03-05T10:19:00Z");
  report.run.finished_at = at("2026-03-05T10:20:00Z");
  report.elapsed = std::chrono::milliseconds(48200);
  report.store = ".linkherd";
  return report;
}

inline storage::CheckedLink with_location(storage::CheckedLink link, std::string file, unsigned line, unsigned column) {
  parser::LinkOccurrence other = link.result.occurrences.front();
  other.file = std::move(file);
  other.line = line;
  other.column = column;
  link.result.occurrences.push_back(std::move(other));
  return link;
}

}  // namespace linkherd::reports
