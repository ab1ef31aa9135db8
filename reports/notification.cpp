#include "reports/notification.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/messages.h"
#include "reports/report_rows.h"
#include "storage/json_writer.h"
#include "storage/link_id.h"

namespace linkherd::reports {
namespace {

using storage::JsonWriter;

constexpr std::size_t max_json_bytes = std::size_t{256} << 10;
constexpr std::size_t max_notified_occurrences = 20;  // per link
constexpr std::size_t max_chat_bytes = 10'000;        // Feishu accepts requests of up to 20 kB
constexpr std::size_t max_chat_lines = 20;

std::string digest(const std::string& text) {
  constexpr std::size_t digits = 32;
  return storage::content_digest(text).substr(0, digits);
}

std::string describe_key(const storage::Run& run) {
  return fmt::format("{}\n{}", run.identity, run.started_at.time_since_epoch().count());
}

std::string change_id(const Report& report, const ReportRow& row, const storage::CheckedLink& link) {
  return digest(fmt::format("{}\n{}\n{}", link.result.id.to_hex(), enum_name(change_names, row.change->change),
                            describe_key(report.changes.since.value_or(storage::Run()))));
}

// Adds items to an array until there is no room for another one.
class BoundedArray {
 public:
  explicit BoundedArray(std::string& out) : out_(out) {}

  void add(const std::string& item) {
    is_full_ = is_full_ || out_.size() + item.size() > max_json_bytes;
    if (is_full_) {
      ++left_out_;
      return;
    }
    if (out_.back() != '[') out_ += ',';
    out_ += item;
  }
  std::size_t left_out() const { return left_out_; }

 private:
  std::string& out_;
  bool is_full_ = false;
  std::size_t left_out_ = 0;
};

template <class Write>
std::string json_of(const Write& write) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write(json);
  json.end_object();
  return text;
}

std::string json_change(const Report& report, const ReportRow& row) {
  const storage::CheckedLink link = report.links->at(row.link);
  return json_of([&](JsonWriter& json) {
    const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
    json.member("id", change_id(report, row, link));
    json.member("change", enum_name(change_names, row.change->change));
    json.member("before", row.change->before ? std::optional(enum_name(storage::health_names, *row.change->before))
                                             : std::nullopt);
    json.member("health", enum_name(storage::health_names, link.result.verdict.health));
    json.member("reason", link.result.verdict.reason);
    json.member("url", link_url(link));
    json.member("final_url", storage::or_null(link.state.snapshot.final_url));
    json.member("failing_since", link.state.first_failed);
    json.member("words", describe_row(row, link));
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(occurrences.size(), max_notified_occurrences); ++i)
      shown.push_back(format_location(occurrences[i]));
    json.member("places", shown);
  });
}

void write_run(JsonWriter& json, const storage::Run& run) {
  json.begin_object();
  json.member("number", run.number);
  json.member("started_at", run.started_at);
  json.member("finished_at", run.finished_at);
  json.member("inputs", run.inputs);
  json.end_object();
}

// Returns the text of a chat message: one line per change, as long as there is room.
std::string chat_text(const Report& report) {
  std::string text =
      fmt::format("linkherd, {}: {}", brief(describe_inputs(report.run.inputs)), describe_changes(report.changes));
  std::size_t shown = 0;
  std::size_t all = 0;
  const auto add = [&](const std::string& line) {
    ++all;
    if (shown + 1 < all || shown >= max_chat_lines || text.size() + line.size() > max_chat_bytes) return;
    ++shown;
    text += "\n• " + line;
  };
  for (const ReportRow& row : rows(report, Section::changes)) {
    const storage::CheckedLink link = report.links->at(row.link);
    const std::vector<parser::LinkOccurrence>& occurrences = link.result.occurrences;
    const std::string where = occurrences.empty() ? std::string() : brief(format_location(occurrences.front())) + " ";
    add(fmt::format("{}: {}{}", describe_change(row.change->change), where, describe_row(row, link)));
  }
  for_each_notice(report, [&add](const Notice& notice) {
    const bool has_occurrence = !notice.location.file.empty() && notice.section == Section::duplicates;
    add(has_occurrence ? fmt::format("{} {}", brief(format_location(notice.location)), notice.words) : notice.words);
  });
  if (shown < all) text += fmt::format("\n… and {} more", all - shown);
  return text;
}

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string made;
  for (const char c : text) {
    if (c == from) {
      made += to;
    } else {
      made += c;
    }
  }
  return made;
}

}  // namespace

std::string delivery_id(const Report& report) { return digest(describe_key(report.run)); }

std::string json_notification(const Report& report) {
  std::string text = fmt::format(R"({{"version":1,"id":"{}","run":)", delivery_id(report));
  {
    JsonWriter json(text);
    write_run(json, report.run);
  }
  text += ",\"since\":";
  const std::optional<storage::Run>& since = report.changes.since;
  if (since && since->number > 0) {
    JsonWriter json(text);
    write_run(json, *since);
  } else {
    text += "null";
  }
  text += ",\"outcome\":" + json_of([&](JsonWriter& json) {
            json.member("exit_code", report.outcome.exit_code);
            json.member("why", report.outcome.why);
          });
  text += ",\"counts\":" + json_of([&](JsonWriter& json) {
            for (const auto& [change, name] : change_names) json.member(name, report.changes.count(change));
            json.member("certificates", report.changes.certificates);
            json.member("repeated", report.changes.duplicates);
          });
  text += ",\"changes\":[";
  BoundedArray changes(text);
  for (const ReportRow& row : rows(report, Section::changes)) changes.add(json_change(report, row));
  text += "],\"certificates\":[";
  BoundedArray certificates(text);
  for (const EndingCertificate& one : report.certificates) {
    certificates.add(json_of([&](JsonWriter& json) {
      json.member("host", one.host);
      json.member("expires", one.expires);
      json.member("is_ending", one.is_ending);
      json.member("is_chain_incomplete", one.is_chain_incomplete);
      json.member("links", one.links);
    }));
  }
  text += "],\"repeated\":[";
  BoundedArray repeated(text);
  for_each_notice(report, [&](const Notice& notice) {
    if (notice.section != Section::duplicates) return;
    repeated.add(json_of([&](JsonWriter& json) {
      json.member("url", notice.subject);
      json.member("place", format_location(notice.location));
      json.member("words", notice.words);
    }));
  });
  return text + fmt::format("],\"left_out\":{}}}", changes.left_out() + certificates.left_out() + repeated.left_out());
}

std::string slack_notification(const Report& report) {
  // Escaped as Slack requires. Text in < > would become a mention or a link.
  const std::string text = replaced(replaced(replaced(chat_text(report), '&', "&amp;"), '<', "&lt;"), '>', "&gt;");
  return json_of([&](JsonWriter& json) {
    json.member("text", text);
    json.member("mrkdwn", false);
    json.member("unfurl_links", false);
  });
}

std::string feishu_notification(const Report& report, const std::string& timestamp, const std::string& signature) {
  // A tag in the text, such as <at user_id="all">, would become a mention, and there is no escape for it.
  const std::string text = replaced(chat_text(report), '<', "‹");
  return json_of([&](JsonWriter& json) {
    if (!signature.empty()) {
      json.member("timestamp", timestamp);
      json.member("sign", signature);
    }
    json.member("msg_type", std::string_view("text"));
    json.key("content");
    json.begin_object();
    json.member("text", text);
    json.end_object();
  });
}

}  // namespace linkherd::reports
