// Everything that `linkherd check` can be told, with its defaults; and how that becomes the options of a crawl and a
// report.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"
#include "crawler/commands/list_inputs.h"
#include "crawler/commands/selection_options.h"
#include "crawler/crawl.h"
#include "reports/duplicates.h"
#include "reports/summary.h"

namespace linkherd::crawler {

enum class ColorMode { automatic, always, never };
inline constexpr std::array<EnumName<ColorMode>, 3> color_names{
    {{ColorMode::automatic, "auto"}, {ColorMode::always, "always"}, {ColorMode::never, "never"}}};

// How a report is written; shared by `check` and `report`.
struct ReportOptions {
  OutputFormat format = OutputFormat::text;
  std::string output;  // a file; empty: stdout
  ColorMode color = ColorMode::automatic;
  reports::DuplicateScope duplicates = reports::DuplicateScope::across;
  std::string tracking_rules;  // a file; empty: our own table only
  reports::OutcomePolicy outcome;
};

struct CheckOptions {
  CommonOptions common;
  ListInputs lists;
  Selection selection;
  CrawlOptions crawl;
  ReportOptions report;
  std::string store;
  bool no_store = false;
  bool offline = false;
  bool no_progress = false;
};

void add_report_options(CLI::App& app, ReportOptions& options);
void add_check_options(CLI::App& app, CheckOptions& options);

// What makes two calls the same run: every setting that can change a verdict, and where it is called.
std::string configuration_of(const CheckOptions& options);

}  // namespace linkherd::crawler
