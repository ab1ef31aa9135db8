// Implements `check --changes-only`: reports each change of a link once, to a program, a web service or the reader of
// the output.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

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

// Return what is wrong with the value of --notify or --webhook, or an empty string.
std::string refuse_bad_command(const std::string& text);
std::string refuse_bad_webhook(const std::string& text);

// Notifies subscribers of changes. The constructor reads everything needed for that before the run, and throws
// CLI::ValidationError if it is invalid.
class ChangeNotifier {
 public:
  // `scope`: what determines the checked links, such as the inputs. Scope and subscribers together determine which runs
  // are compared.
  ChangeNotifier(NotificationOptions options, const std::vector<std::string>& scope);

  // Returns the newest run whose changes were sent to the same subscribers. `runs`: newest first.
  std::optional<storage::Run> last_notified_run(const std::vector<storage::Run>& runs) const;

  // Notifies all subscribers. If all notifications succeed, records this run as notified in the store. Returns the
  // failures, one per line. `text`: the report for people.
  std::vector<std::string> notify(const reports::Report& report, const std::string& text, storage::Store& store,
                                  const FetchOptions& fetch, const std::atomic<StopSignal>& stop) const;

 private:
  std::vector<std::string> deliver(const reports::Report& report, const std::string& text, const FetchOptions& fetch,
                                   const std::atomic<StopSignal>& stop) const;

  NotificationOptions options_;
  std::string receivers_;  // digest of scope and subscribers
  std::vector<std::string> command_;
  std::optional<parser::Url> url_;
  std::string secret_;
};

}  // namespace linkherd::crawler
