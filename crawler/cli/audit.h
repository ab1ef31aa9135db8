// --audit: all that is known of a run, in one folder to pass on or to keep: reports, catalogue, pages, settings.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"
#include "crawler/cli/options/check_options.h"
#include "parser/url/canonical.h"
#include "storage/run.h"
#include "storage/store.h"

namespace linkherd::crawler {

CLI::Option* add_audit_option(CLI::App& app, std::string& folder);

// Throws std::runtime_error if the folder is there and not empty, or obviously cannot be made. Called before the work.
void require_new_folder(const std::string& folder);

struct AuditedRun {
  const storage::Store& store;
  const storage::Run& run;
  const storage::Run* before = nullptr;  // what it is compared with; null: nothing
};

// Makes the folder at once: it is written beside its place and renamed. The same store gives the same bytes, whenever
// it is called. `rules` may be null. Throws std::runtime_error.
void write_audit(const std::string& folder, const AuditedRun& audited, const ReportOptions& options,
                 const parser::TrackingRules* rules, const Streams& streams);

}  // namespace linkherd::crawler
