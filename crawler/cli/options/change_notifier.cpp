#include "crawler/cli/options/change_notifier.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include <CLI/Error.hpp>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include "crawler/cli/process.h"
#include "crawler/notify/child_process.h"
#include "crawler/notify/notify_command.h"
#include "crawler/notify/webhook.h"
#include "crawler/sources/file_bytes.h"
#include "storage/link_id.h"
#include "storage/run_results.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t max_secret_bytes = 4096;

// Removes the line ending that editors add.
std::string read_secret(const std::string& file) {
  if (file.empty()) return environment_variable(webhook_secret_variable);
  Result<std::string> text = read_file_bytes(file, max_secret_bytes);
  if (text.has_error()) throw CLI::ValidationError("--webhook-secret-file", file + ": " + text.error().message);
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  if (text->empty()) throw CLI::ValidationError("--webhook-secret-file", file + " is empty");
  return *text;
}

// Feishu reports a refusal with status 200.
std::string parse_feishu_refusal(std::string_view body) {
  boost::system::error_code error;
  const boost::json::value answer = boost::json::parse(body, error);
  const boost::json::object* const object = error ? nullptr : answer.if_object();
  if (object == nullptr) return "its response is not JSON";
  for (const char* const name : {"code", "StatusCode"}) {
    const boost::json::value* const code = object->if_contains(name);
    if (code != nullptr && code->is_int64())
      return code->as_int64() == 0 ? "" : fmt::format("code {}", code->as_int64());
  }
  return "its answer has no code";
}

WebhookMessage webhook_message(const reports::Report& report, const parser::Url& url,
                               reports::NotificationFormat format, const std::string& secret) {
  WebhookMessage message{url, {}};
  switch (format) {
    case reports::NotificationFormat::slack: message.body = reports::slack_notification(report); break;
    case reports::NotificationFormat::feishu: {
      // the receiver compares the time with its own clock, so --now is not used
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      const std::string time = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count());
      message.body =
          reports::feishu_notification(report, time, secret.empty() ? "" : hmac_base64(time + "\n" + secret, ""));
      message.refusal = parse_feishu_refusal;
      return message;
    }
    case reports::NotificationFormat::json: message.body = reports::json_notification(report); break;
  }
  message.headers.emplace_back("X-Linkherd-Delivery", reports::delivery_id(report));
  if (!secret.empty()) message.headers.emplace_back("X-Hub-Signature-256", "sha256=" + hmac_hex(secret, message.body));
  return message;
}

EnvironmentVariables variables_of(const reports::Report& report) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto add = [&variables](std::string_view name, std::size_t number) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    variables.emplace_back("LINKHERD_" + upper, std::to_string(number));
  };
  for (const auto& [change, name] : reports::change_names) add(name, report.changes.count(change));
  add("certificates", report.changes.certificates);
  add("repeated", report.changes.duplicates);
  add("links", report.summary.links);
  add("run", report.run.number);
  add("exit_code", static_cast<std::size_t>(report.outcome.exit_code));
  return variables;
}

}  // namespace

std::string refuse_bad_command(const std::string& text) {
  const Result<std::vector<std::string>> words = split_command(text);
  return words.has_error() ? fmt::format("{} cannot be run: {}", text, words.error().message) : std::string();
}

// The message must not quote the URL, which is often secret.
std::string refuse_bad_webhook(const std::string& text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  return url && url->is_http() ? "" : "a webhook must be a URL that begins with https:// or http://";
}

ChangeNotifier::ChangeNotifier(NotificationOptions options, const std::vector<std::string>& scope)
    : options_(std::move(options)) {
  std::string text;
  for (const std::string& part : scope) text += '\n' + part;
  receivers_ = storage::content_digest(text + "\nnotify=" + options_.notify + "\nwebhook=" + options_.webhook);
  if (!options_.notify.empty()) command_ = split_command(options_.notify).value();
  if (options_.webhook.empty()) return;
  url_ = parser::Url::parse(options_.webhook).value();
  secret_ = read_secret(options_.secret_file);
}

std::optional<storage::Run> ChangeNotifier::last_notified_run(const std::vector<storage::Run>& runs) const {
  const auto found = std::ranges::find(runs, receivers_, &storage::Run::subscriber_digest);
  return found == runs.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> ChangeNotifier::deliver(const reports::Report& report, const std::string& text,
                                                 const FetchOptions& fetch, const std::atomic<StopSignal>& stop) const {
  const auto is_stopped = [&stop] { return stop.load() != StopSignal::none; };
  std::vector<std::string> failures;
  if (!command_.empty()) {
    const Result<void> ran = run_notify_command(command_, variables_of(report), text, is_stopped);
    if (ran.has_error()) failures.push_back("--notify: " + ran.error().message);
  }
  if (url_) {
    const Result<void> sent = send_webhook(webhook_message(report, *url_, options_.format, secret_), fetch, is_stopped);
    if (sent.has_error()) failures.push_back("--webhook: " + sent.error().message);
  }
  return failures;
}

std::vector<std::string> ChangeNotifier::notify(const reports::Report& report, const std::string& text,
                                                storage::Store& store, const FetchOptions& fetch,
                                                const std::atomic<StopSignal>& stop) const {
  storage::RunResults(store, report.run)
      .put_notification_states(  // has no effect until the run is recorded as notified
          report.notification_states);
  std::vector<std::string> failures;
  if (report.changes.should_notify()) failures = deliver(report, text, fetch, stop);
  if (!failures.empty()) return failures;
  storage::Run notified = report.run;
  notified.subscriber_digest = receivers_;
  store.put_run(notified);
  store.publish();
  return failures;
}

}  // namespace linkherd::crawler
