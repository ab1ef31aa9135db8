#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"

namespace linkherd::reports {
namespace {

enum class CaseResult : std::uint8_t { passed, failed, skipped };

struct SuiteCounts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(CaseResult result) {
    ++tests;
    failures += result == CaseResult::failed ? 1U : 0U;
    skipped += result == CaseResult::skipped ? 1U : 0U;
  }
};

// Returns the result of a link, which is one case. The section matters, and whether it fails the run.
CaseResult result_of(const ReportRow& row) {
  if (row.level == Level::error) return CaseResult::failed;
  if (row.section == Section::fine || row.section == Section::moved) return CaseResult::passed;
  return CaseResult::skipped;  // inconclusive, or bad but no failure: shown with its message, and not counted as passed
}

// Returns the counts of a suite. JUnit's schema has no number of skipped cases for all suites together.
std::string counts_in_xml(const SuiteCounts& counts) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", counts.tests, counts.failures,
                     counts.errors, counts.skipped);
}

// Tools track a case over many runs by its name. Therefore the name contains nothing that depends on the result.
std::string case_name(const std::string& location, std::string_view url) {
  return escape_for_xml(location.empty() ? brief(url) : location + " " + brief(url));
}

std::string case_in_xml(const ReportRow& row, const storage::CheckedLink& link) {
  const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
  const std::string name = occurrences.empty()
                               ? case_name({}, link_url(link))
                               : case_name(format_location(occurrences.front()), occurrences.front().url);
  std::string text =
      fmt::format(R"(    <testcase name="{}" classname="{}">)", name, enum_name(section_names, row.section));
  const std::string message = escape_for_xml(row_reason(row, link));
  switch (result_of(row)) {
    case CaseResult::passed: break;
    case CaseResult::failed:
      text += fmt::format(R"(<failure message="{}" type="{}">{}</failure>)", message,
                          escape_for_xml(link.result.verdict.reason), message);
      break;
    case CaseResult::skipped: text += fmt::format("<skipped message=\"{}\"/>", message); break;
  }
  return text + "</testcase>\n";
}

// Writes a suite for the run itself, if something other than its links decides how it ends.
void write_error_suite(std::ostream& out, const std::string& reason) {
  const std::string message = escape_for_xml(reason);
  out << fmt::format("  <testsuite name=\"linkherd\" {}>\n", counts_in_xml({.tests = 1, .errors = 1}))
      << fmt::format(
             "    <testcase name=\"the run\" classname=\"linkherd\"><error message=\"{}\">{}</error></testcase>\n",
             message, message)
      << "  </testsuite>\n";
}

std::vector<Notice> notices_of(const Report& report) {
  std::vector<Notice> notices;
  for_each_notice(report, [&notices](const Notice& notice) { notices.push_back(notice); });
  return notices;
}

// Writes a suite for each section. Its cases neither pass nor fail.
void write_notices(std::ostream& out, const std::vector<Notice>& notices) {
  for (const Section section : {Section::duplicates, Section::certificates}) {
    const auto count = static_cast<std::size_t>(std::ranges::count(notices, section, &Notice::section));
    if (count == 0) continue;
    const std::string_view name = enum_name(section_names, section);
    out << fmt::format("  <testsuite name=\"linkherd: {}\" {}>\n", name,
                       counts_in_xml({.tests = count, .skipped = count}));
    for (const Notice& notice : notices) {
      if (notice.section != section) continue;
      const std::string words = escape_for_xml(notice.words);
      out << fmt::format("    <testcase name=\"{}\" classname=\"{}\"><skipped message=\"{}\"/></testcase>\n",
                         case_name(format_location(notice.location), notice.subject), name, words);
    }
    out << "  </testsuite>\n";
  }
}

}  // namespace

void write_junit(std::ostream& out, const Report& report) {
  // The counts of a suite precede its cases, so links are sorted by file and counted first.
  std::vector<ReportRow> links = rows(report);
  std::vector<SuiteCounts> by_file;
  SuiteCounts all;
  for (const ReportRow& row : links) {
    if (row.file >= by_file.size()) by_file.resize(row.file + std::size_t{1});
    by_file[row.file].add(result_of(row));
    all.add(result_of(row));
  }
  const auto order = [](const ReportRow& row) { return std::pair(row.file, row.link); };
  std::ranges::sort(links, {}, order);
  const std::vector<Notice> notices = notices_of(report);
  all.tests += notices.size();
  const std::string other = other_reason(report);
  if (!other.empty()) {
    ++all.tests;
    ++all.errors;
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"linkherd\" "
      << fmt::format(R"(tests="{}" failures="{}" errors="{}")", all.tests, all.failures, all.errors) << ">\n";
  if (!other.empty()) write_error_suite(out, other);
  const auto file_of = [&links](std::size_t position) { return links[position].file; };
  const auto append_case = [&](std::size_t i, std::string_view text, std::string& to) {
    const std::uint32_t file = file_of(i);
    if (i == 0 || file_of(i - 1) != file) {
      const std::string name = escape_for_xml(report.sections.files.text(file));
      to += fmt::format("  <testsuite name=\"{}\" file=\"{}\" {}>\n", name, name, counts_in_xml(by_file[file]));
    }
    to += text;
    if (i + 1 == links.size() || file_of(i + 1) != file) to += "  </testsuite>\n";
  };
  const auto render = [](const ReportRow& row, const storage::CheckedLink& link, std::string& text) {
    text += case_in_xml(row, link);
  };
  write_rows(out, report, links, render, append_case);
  write_notices(out, notices);
  out << "</testsuites>\n";
}

}  // namespace linkherd::reports
