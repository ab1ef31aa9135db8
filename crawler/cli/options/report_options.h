// Options for writing a report; shared by `check`, `broker collect` and `report`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crawler/cli/options/option.h"
#include "parser/enum_names.h"
#include "reports/duplicates.h"
#include "reports/link_groups.h"
#include "reports/report_formats.h"
#include "reports/summary.h"

namespace linkherd::crawler {

class Acceptances;

enum class ColorMode { automatic, always, never };
inline constexpr std::array<EnumName<ColorMode>, 3> color_names{
    {{ColorMode::automatic, "auto"}, {ColorMode::always, "always"}, {ColorMode::never, "never"}}};

inline constexpr std::array<EnumName<reports::DuplicateScope>, 4> duplicate_scope_names{
    {{reports::DuplicateScope::within, "within"},
     {reports::DuplicateScope::across, "across"},
     {reports::DuplicateScope::mentions, "mentions"},
     {reports::DuplicateScope::off, "off"}}};

// A destination of a report.
struct ReportOutput {
  std::optional<reports::ReportFormat> format;  // nullopt: see format_of()
  std::string path;                             // empty: stdout
  bool append = false;                          // append to the file instead of replacing it
};

struct ReportOptions {
  reports::ReportFormat format = reports::ReportFormat::text;
  bool names_format = false;          // the command line or the configuration sets a format
  bool has_format_option = false;     // the command line has --format
  bool has_output_option = false;     // the command line has --output
  bool has_store_option = false;      // the command line has --store
  std::vector<ReportOutput> outputs;  // empty: stdout only
  bool byte_order_mark = false;
  reports::PageLanguage language = reports::PageLanguage::automatic;
  bool all = false;
  std::vector<reports::Section> sections;  // empty: the summary view
  reports::GroupBy group_by = reports::GroupBy::cause;
  bool only_changes = false;
  ColorMode color = ColorMode::automatic;
  reports::DuplicateScope duplicates = reports::DuplicateScope::across;
  std::string tracking_rules;  // a file; empty: only the built-in table
  reports::OutcomePolicy outcome;
  bool has_fail_on_option = false;  // the command line has --fail-on
  int certificate_days = 14;
  std::shared_ptr<const Acceptances> accepted;  // null: no failure is accepted
  std::string audit;                            // a folder; empty: none
};

// Returns the format of an output. The first that is set applies: the output's own format, --format, the extension of
// the file, the configuration.
reports::ReportFormat format_of(const ReportOutput& output, const ReportOptions& options);

// Return targets of --output, --section and --fail-on.
OptionTarget read_outputs(std::vector<ReportOutput>& outputs);
OptionTarget read_sections(std::vector<reports::Section>& sections);
OptionTarget read_fail_on(reports::OutcomePolicy& policy);

}  // namespace linkherd::crawler
