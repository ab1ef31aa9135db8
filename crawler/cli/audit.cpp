#include "crawler/cli/audit.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "crawler/cli/options/option.h"
#include "crawler/cli/report_output.h"
#include "parser/utf8.h"
#include "reports/catalogue.h"
#include "reports/escape.h"
#include "reports/report_formats.h"
#include "storage/checked_links.h"
#include "storage/json_writer.h"
#include "storage/record_json.h"
#include "storage/warc/warc_export.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& why) {
  throw std::runtime_error(fmt::format("cannot write an audit to {}: {}", to_valid_utf8(folder.string()), why));
}

// Returns an absolute path without a trailing slash.
fs::path folder_named(const std::string& name) {
  const fs::path path = fs::absolute(name).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// A new folder next to its final path. The destructor removes it unless it was renamed.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path target)
      : target_(std::move(target)),
        path_(target_.parent_path() / fmt::format(".{}.{}.new", target_.filename().string(), ::getpid())) {
    std::error_code error;
    if (!fs::create_directory(path_, error)) refuse_folder(path_, error ? error.message() : "it already exists");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!renamed_) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  void rename() {
    std::error_code error;
    fs::rename(path_, target_, error);  // also replaces an empty folder
    if (error) refuse_folder(target_, error.message());
    renamed_ = true;
  }

 private:
  fs::path target_;
  fs::path path_;
  bool renamed_ = false;
};

constexpr std::string_view read_me = R"(# An audit of links

This folder holds everything that the store of linkherd has about one run. `run.json` names the run and its inputs, and
says how the run ended, which settings it used, and which version of linkherd wrote the audit. The same store always
gives the same bytes.

| file | contents |
|---|---|
| `report.html` | the report for people: one page that needs no network |
| `report.json` | the report for programs; `linkherd schema` describes it |
| `report.csv` | the report as a table, one row per link |
| `catalogue.json`, `catalogue.csv` | the entries of your documents, with the metadata of their pages |
| `pages.warc.gz`, `pages.cdxj` | the responses, with the pages that were stored, for web archives; and their index |
)";

void write_settings(storage::JsonWriter& json, const ReportOptions& options) {
  json.begin_object();
  json.key("fail_on");
  json.begin_array();
  for (const storage::Health health : options.outcome.fail_on) json.text(enum_name(storage::health_names, health));
  json.end_array();
  json.member("max_deferred", options.outcome.max_deferred);
  json.member("cert_days", options.certificate_days);
  json.member("duplicates", enum_name(duplicate_scope_names, options.duplicates));
  json.end_object();
}

std::string describe_run(const AuditedRun& audited, const reports::Report& report, const ReportOptions& options) {
  std::string text;
  storage::JsonWriter json(text);
  json.begin_object();
  json.member("schema", reports::json_schema);
  json.member("linkherd", std::string_view(LINKHERD_VERSION));
  json.key("run");
  json.begin_object();
  write_members(json, audited.run);
  json.end_object();
  json.member("compared_with", audited.before == nullptr ? std::nullopt : std::optional(audited.before->number));
  json.member("exit_code", report.outcome.exit_code);
  json.member("why", std::string_view(report.outcome.why));
  json.key("settings");
  write_settings(json, options);
  json.end_object();
  return reports::escape_json(text) + '\n';
}

// Reports all links as of the end of the run, so that the content does not depend on the time of writing.
reports::Report make_audit_report(const AuditedRun& audited, const storage::CheckedLinks& links,
                                  const ReportOptions& options, const reports::EarlierRun* since,
                                  const parser::TrackingRules* rules) {
  const Timestamp end = audited.run.finished_at.value_or(audited.run.started_at);
  reports::Report report = make_run_report(links, audited.run, since, options, rules, end);
  report.outcome = reports::outcome(report.summary, report.run.state, options.outcome);
  return report;
}

void write_catalogue_file(const std::string& file, const storage::CheckedLinks& links,
                          reports::CatalogueFormat format) {
  write_file(file, [&](std::ostream& out) { reports::write_catalogue(out, links, format); });
}

void write_pages(const TemporaryFolder& folder, const AuditedRun& audited, const storage::CheckedLinks& links) {
  storage::ExportedWarc exported;
  write_file(folder.file("pages.warc.gz"), [&](std::ostream& out) {
    exported =
        storage::write_warc(out, storage::LinkHistory(audited.store), links, audited.run,
                            {.software = "linkherd/" LINKHERD_VERSION, .file_name = "pages.warc.gz", .index = true});
  });
  write_file(folder.file("pages.cdxj"), [&](std::ostream& out) { out << exported.index; });
}

}  // namespace

void require_new_folder(const std::string& folder) {
  if (folder.empty()) return;
  const fs::path path = folder_named(folder);
  std::error_code error;
  if (fs::exists(path, error) && (!fs::is_directory(path, error) || !fs::is_empty(path, error)))
    refuse_folder(path, "it exists and is not an empty folder; choose another one");
  if (access(path.parent_path().c_str(), W_OK) != 0) refuse_folder(path, std::generic_category().message(errno));
}

void write_audit(const std::string& folder, const AuditedRun& audited, const ReportOptions& options,
                 const parser::TrackingRules* rules, const Streams& streams) {
  TemporaryFolder beside(folder_named(folder));
  const storage::StoredLinks links(audited.store, audited.run);
  std::optional<reports::EarlierRun> since;
  if (audited.before != nullptr) since = reports::read_earlier_run(audited.store, *audited.before);
  ReportOptions files = options;
  files.only_changes = false;
  files.outputs = {{reports::ReportFormat::html, beside.file("report.html")},
                   {reports::ReportFormat::json, beside.file("report.json")},
                   {reports::ReportFormat::csv, beside.file("report.csv")}};
  const reports::Report report = make_audit_report(audited, links, files, since ? &*since : nullptr, rules);
  write_report(report, files, false, streams);
  write_catalogue_file(beside.file("catalogue.json"), links, reports::CatalogueFormat::json);
  write_catalogue_file(beside.file("catalogue.csv"), links, reports::CatalogueFormat::csv);
  write_pages(beside, audited, links);
  write_file(beside.file("run.json"), [&](std::ostream& out) { out << describe_run(audited, report, options); });
  write_file(beside.file("README.md"), [](std::ostream& out) { out << read_me; });
  beside.rename();
}

}  // namespace linkherd::crawler
