#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "parser/join.h"
#include "parser/utf8.h"
#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

constexpr std::string_view csv_header =
    "section,level,health,reason,what,advice,url,final_url,status,file,line,column,places,words,heading,title,authors,"
    "published,checked_at,first_failed,strikes,archived_copy,relocated,relocation_level,facts,change,previous_"
    "health\r\n";

// Spreadsheets truncate or reject longer cells.
constexpr std::size_t max_cell_bytes = 32'000;

// Restores the bytes of a file name. Names in reports have "\xFF" for bytes that are not UTF-8, and escape a backslash
// that would look like such a sequence.
std::string bytes_of_name(std::string_view name) {
  std::string bytes;
  for (std::size_t at = 0; at < name.size(); ++at) {
    unsigned byte = 0;
    const char* const digits = name.data() + at + 2;
    const bool is_escape = name.substr(at).starts_with("\\x") && name.size() - at >= 4 &&
                           std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    bytes += is_escape ? static_cast<char>(byte) : name[at];
    if (is_escape) at += 3;
  }
  return bytes;
}

class CsvRow {
 public:
  void cell(std::string_view text) {
    if (!row_.empty() || any_) row_ += ',';
    any_ = true;
    row_ += csv_cell(one_line(truncate_utf8(text, max_cell_bytes)));
  }
  void file(std::string_view name) { row_.append(1, ',').append(csv_file_cell(bytes_of_name(name))); }
  void number(std::uint64_t value) { row_ += fmt::format(",{}", value); }
  const std::string& text() const { return row_; }

 private:
  std::string row_;
  bool any_ = false;
};

void add_page(CsvRow& row, const storage::CheckedLink& link) {
  const storage::Snapshot& snapshot = link.state.snapshot;
  const parser::Metadata& page = snapshot.metadata;
  row.cell(page.title ? std::string_view(page.title->value) : std::string_view());
  row.cell(page.authors ? join(page.authors->value, "; ") : "");
  row.cell(page.published ? std::string_view(page.published->value) : std::string_view());
  row.cell(snapshot.fetched_at == Timestamp{} ? "" : format_timestamp(snapshot.fetched_at));
  row.cell(link.state.first_failed ? format_timestamp(*link.state.first_failed) : "");
  row.cell(fmt::format("{}", link.state.strikes));
  const storage::ArchivedCopy* const copy = suggested_copy(link);
  row.cell(copy == nullptr ? std::string_view() : std::string_view(copy->url));
  const storage::Relocation* const relocation = suggested_relocation(link);
  row.cell(relocation == nullptr ? std::string_view() : std::string_view(relocation->url));
  row.cell(relocation == nullptr ? std::string_view() : enum_name(storage::relocation_level_names, relocation->level));
  row.cell(describe_facts(snapshot));
}

std::string csv_row(const ReportRow& link_row, const storage::CheckedLink& link) {
  const storage::Verdict& verdict = link.result.verdict;
  const bool has_occurrence = !link.result.occurrences.empty();
  const parser::LinkOccurrence occurrence = has_occurrence ? link.result.occurrences.front() : parser::LinkOccurrence();
  CsvRow row;
  row.cell(enum_name(section_names, link_row.section));
  row.cell(enum_name(level_names, link_row.level));
  row.cell(enum_name(storage::health_names, verdict.health));
  row.cell(verdict.reason);
  row.cell(explained(link));
  row.cell(link_row.cause->advice);
  row.cell(link_url(link));
  row.cell(link.state.snapshot.final_url);
  row.cell(link.state.snapshot.status == 0 ? "" : fmt::format("{}", link.state.snapshot.status));
  row.file(occurrence.file);
  row.number(occurrence.line);
  row.number(occurrence.column);
  row.number(link.result.occurrences.size());
  row.cell(occurrence.text);
  row.cell(occurrence.heading());
  add_page(row, link);
  const std::optional<LinkChange>& change = link_row.change;
  row.cell(change ? enum_name(change_names, change->change) : std::string_view());
  row.cell(!change || !change->before ? std::string_view() : enum_name(storage::health_names, *change->before));
  return row.text();
}

// Returns the row of a notice; the columns of the page are empty.
std::string csv_row(const Notice& notice) {
  CsvRow row;
  for (const std::string_view text : {enum_name(section_names, notice.section), enum_name(level_names, Level::note),
                                      std::string_view(), enum_name(section_names, notice.section)})
    row.cell(text);
  row.cell(notice.words);
  row.cell({});
  row.cell(notice.subject);
  row.cell({});
  row.cell({});
  row.file(notice.location.file);
  row.number(notice.location.line);
  row.number(notice.location.column);
  row.number(1);
  constexpr int others = 14;
  for (int i = 0; i < others; ++i) row.cell({});
  return row.text();
}

}  // namespace

void write_csv(std::ostream& out, const Report& report) {
  out << csv_header;
  write_rows(
      out, report, rows(report),
      [](const ReportRow& row, const storage::CheckedLink& link, std::string& text) { text += csv_row(row, link); },
      [](std::size_t /*position*/, std::string_view row, std::string& to) { to.append(row).append("\r\n"); });
  for_each_notice(report, [&out](const Notice& notice) { out << csv_row(notice) << "\r\n"; });
}

}  // namespace linkherd::reports
