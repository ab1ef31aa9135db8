// `check --changes-only`: each change of the lists' links is told once, to a program, a web service or whoever reads
// the output.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/fetch/fetch_options.h"
#include "crawler/run/crawl.h"
#include "parser/url/url.h"
#include "reports/notification.h"
#include "reports/report.h"
#include "storage/store.h"

namespace linkherd::crawler {

struct NotificationOptions {
  bool changes_only = false;
  std::string notify;   // a command; empty: none
  std::string webhook;  // a URL; empty: none
  reports::NotificationFormat format = reports::NotificationFormat::json;
  std::string secret_file;  // empty: the secret is in the environment, or there is none
  std::string metrics;      // a file; empty: none
};

// Of `check`, which has the options already that do not go with these.
void add_notification_options(CLI::App& app, NotificationOptions& options);

// Reads what is needed to tell before there is anything to tell. Throws CLI::ValidationError.
class ChangeNotifier {
 public:
  // `scope`: what says which links are looked at, such as the inputs; with those who are told it decides which runs are
  // compared.
  ChangeNotifier(NotificationOptions options, const std::vector<std::string>& scope);

  // The newest of the runs whose changes were told to the same ones. `runs`: newest first.
  std::optional<storage::Run> last_notified_run(const std::vector<storage::Run>& runs) const;

  // Tells all who want to know and, where nobody failed, notes in the store that this run was told. Returns what
  // failed, a line each. `text`: the report for people.
  std::vector<std::string> notify(const reports::Report& report, const std::string& text, storage::Store& store,
                                  const FetchOptions& fetch, const std::atomic<StopSignal>& stop) const;

 private:
  std::vector<std::string> deliver(const reports::Report& report, const std::string& text, const FetchOptions& fetch,
                                   const std::atomic<StopSignal>& stop) const;

  NotificationOptions options_;
  std::string receivers_;  // a digest
  std::vector<std::string> command_;
  std::optional<parser::Url> url_;
  std::string secret_;
};

}  // namespace linkherd::crawler
