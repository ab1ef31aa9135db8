#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "reports/json_output.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

std::string_view rdjson_severity(Level level) {
  return level == Level::error ? "ERROR" : level == Level::warning ? "WARNING" : "INFO";
}

// The columns of this format are byte offsets in the line, which a report does not have. Therefore only lines are
// given.
struct Diagnostic {
  std::string message;
  std::string_view path;
  std::uint32_t line = 1;
  Level level = Level::note;
  std::string_view code;
  Section section = Section::fine;
};

void write_diagnostic(storage::JsonWriter& json, const Diagnostic& diagnostic) {
  json.begin_object();
  json.member("message", diagnostic.message);
  json.key("location");
  json.begin_object();
  json.member("path", diagnostic.path);
  json.key("range");
  json.begin_object();
  json.key("start");
  json.begin_object();
  json.member("line", diagnostic.line);
  json.end_object();
  json.end_object();
  json.end_object();
  json.member("severity", rdjson_severity(diagnostic.level));
  json.key("code");
  json.begin_object();
  json.member("value", diagnostic.code);
  json.end_object();
  json.member("original_output", enum_name(section_names, diagnostic.section));
  json.end_object();
}

}  // namespace

void write_rdjson(std::ostream& out, const Report& report) {
  out << R"({"source":{"name":"linkherd"},"diagnostics":[)";
  JsonOutput rows(out);
  for_each_row(report, [&rows](const ReportRow& row, const storage::CheckedLink& link) {
    for (const parser::LinkOccurrence& occurrence : link.result.occurrences) {
      write_diagnostic(rows.value(), {describe_row(row, link), occurrence.file, occurrence.line, row.level,
                                      link.result.verdict.reason, row.section});
      rows.flush_row();
    }
  });
  for_each_notice(report, [&rows](const Notice& notice) {
    const std::string_view name = enum_name(section_names, notice.section);
    write_diagnostic(rows.value(),
                     {notice.words, notice.location.file, notice.location.line, Level::note, name, notice.section});
    rows.flush_row();
  });
  out << "]}\n";
}

}  // namespace linkherd::reports
