#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "reports/json_output.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "storage/link_id.h"

namespace linkherd::reports {
namespace {

std::string_view gitlab_severity(Level level) {
  return level == Level::error ? "major" : level == Level::warning ? "minor" : "info";
}

struct QualityIssue {
  std::string description;
  std::string name;
  std::string identity;  // without line numbers; unique in the report
  Level level = Level::note;
  std::string path;  // relative to the root of the repository
  std::uint32_t line = 1;
};

void write_issue(storage::JsonWriter& json, const QualityIssue& issue) {
  json.begin_object();
  json.member("description", issue.description);
  json.member("check_name", issue.name);
  json.member("fingerprint", storage::content_digest(issue.name + '\n' + issue.identity));
  json.member("severity", gitlab_severity(issue.level));
  json.key("location");
  json.begin_object();
  json.member("path", issue.path);
  json.key("lines");
  json.begin_object();
  json.member("begin", issue.line);
  json.end_object();
  json.end_object();
  json.end_object();
}

}  // namespace

void write_gitlab(std::ostream& out, const Report& report) {
  out << '[';
  JsonOutput rows(out);
  for_each_row(report, [&](const ReportRow& row, const storage::CheckedLink& link) {
    const std::string name = fmt::format("{}/{}", enum_name(section_names, row.section), link.result.verdict.reason);
    std::map<std::string_view, std::size_t> occurrences_in_file;  // of one link; each has its own identity
    for (const parser::LinkOccurrence& occurrence : link.result.occurrences) {
      const std::string path = repository_path(report, occurrence.file);
      const std::string identity =
          fmt::format("{}\n{}\n{}", link_url(link), path, occurrences_in_file[occurrence.file]++);
      write_issue(rows.value(), {describe_row(row, link), name, identity, row.level, path, occurrence.line});
      rows.flush_row();
    }
  });
  std::map<std::string, std::size_t> notices_before;
  for_each_notice(report, [&](const Notice& notice) {
    const std::string name(enum_name(section_names, notice.section));
    const std::string path = repository_path(report, notice.location.file);
    std::string identity = fmt::format("{}\n{}", notice.subject, path);
    identity += fmt::format("\n{}", notices_before[name + identity]++);
    write_issue(rows.value(), {notice.words, name, identity, Level::note, path, notice.location.line});
    rows.flush_row();
  });
  out << "]\n";
}

}  // namespace linkherd::reports
