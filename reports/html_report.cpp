#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "parser/join.h"
#include "parser/utf8.h"
#include "reports/catalogue.h"
#include "reports/escape.h"
#include "reports/html_page.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "reports/text_writer.h"
#include "storage/json_writer.h"

namespace linkherd::reports {
namespace {

using parser::LinkOccurrence;
using storage::CheckedLink;
using storage::JsonWriter;
using storage::Snapshot;

constexpr std::size_t links_of_chunk = 512;      // rows and details of a chunk have one block of JSON each
constexpr std::size_t max_address_bytes = 4000;  // longer URLs are cut and not clickable
constexpr std::size_t max_description_columns = 200;
constexpr std::size_t max_occurrences = 50;  // per link
constexpr std::size_t max_attempts = 20;     // per link
constexpr std::size_t max_authors = 50;      // per page

// The members of a row. html/script/report_data.js reads them by these names: DO NOT CHANGE one without the other.
constexpr std::array<std::string_view, 26> row_columns{
    "number",    "section", "level",    "health",   "reason", "cause",  "host",         "file",     "line",
    "column",    "places",  "url",      "shown",    "text",   "status", "milliseconds", "title",    "authors",
    "published", "site",    "headings", "language", "role",   "noted",  "expires",      "relocated"};
// Follow the other columns if there is an earlier run to compare with.
constexpr std::array<std::string_view, 2> change_columns{"change", "previous_health"};
constexpr int no_name = -1;  // stands for a missing name index

std::int64_t seconds_of(Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

std::int64_t seconds_of(std::optional<Timestamp> time) { return time ? seconds_of(*time) : 0; }

std::string address(std::string_view url) {
  if (url.size() <= max_address_bytes) return one_line(url);
  return one_line(truncate_utf8(url, max_address_bytes)) + "…";
}

// Escapes JSON so that nothing in it can end its script element or begin another one.
std::string as_script_data(std::string_view json) {
  const std::string safe = escape_json(json);
  std::string out;
  out.reserve(safe.size());
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t next = std::min(safe.find('<', at), safe.size());
    out.append(safe, at, next - at);
    if (next < safe.size()) out += "\\u003c";
    at = next + 1;
  }
  return out;
}

// Returns "sha256-…", the form in which a content security policy names an allowed script.
std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot compute SHA-256 on this machine");
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> base64{};
  const int size = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(length));
  return "sha256-" + std::string(base64.begin(), base64.begin() + size);
}

template <class Names, class Value>
int index_of(const Names& names, Value value) {
  return static_cast<int>(std::ranges::find(names, value, &Names::value_type::value) - names.begin());
}

// Returns the duration of the last request that got a response.
std::optional<std::uint32_t> response_time(const Snapshot& snapshot) {
  const auto answered = std::find_if(snapshot.attempts.rbegin(), snapshot.attempts.rend(),
                                     [](const storage::Attempt& attempt) { return attempt.status != 0; });
  return answered == snapshot.attempts.rend() ? std::nullopt : std::optional(answered->milliseconds);
}

// Writes a member of an object, unless it has the default value.
template <class T>
void known(JsonWriter& json, std::string_view name, const T& value) {
  if (value != T{}) json.member(name, value);
}

// Texts that often repeat. The first 20,000 different texts are written once, in a table, and referenced by index.
// Further texts are written in full.
class SharedTexts {
 public:
  void write(JsonWriter& json, const std::string& text) {
    if (names_.size() < max_texts) return write_json(json, names_.intern(text));
    write_json(json, text);
  }
  const NameTable& names() const { return names_; }

 private:
  static constexpr std::size_t max_texts = 20'000;
  NameTable names_;
};

// Writes the data of the page while links are visited in the fastest reading order. It writes blocks of rows, which the
// page reads at once, and blocks of details, which it reads when a link is shown. The tables of repeated texts come
// last, when they are complete.
class HtmlData {
 public:
  HtmlData(std::ostream& out, const Report& report, PageLanguage language)
      : out_(out), report_(report), language_(language) {}

  void write() {
    write_header();
    for_each_row_unsorted(report_, rows(report_), [this](const ReportRow& row, const CheckedLink& link) {
      add_row(row, link);
      add_detail(row, link);
      if (++links_ == links_of_chunk) write_chunk();
    });
    if (links_ > 0) write_chunk();
    write_tables();
  }

 private:
  void block(std::string_view attribute, std::string_view json) {
    out_ << "<script type=\"application/json\" " << attribute << '>' << as_script_data(json) << "</script>\n";
  }

  void write_header();
  void write_run(JsonWriter& json);
  static void write_pace(JsonWriter& json, const storage::PaceBound& bound);
  void write_since(JsonWriter& json);
  void write_counts(JsonWriter& json);
  void add_row(const ReportRow& row, const CheckedLink& link);
  // Returns false if subscribers are notified for the first time.
  bool has_earlier_run() const { return report_.changes.since && report_.changes.since->number > 0; }
  void add_change(const ReportRow& row);
  void add_detail(const ReportRow& row, const CheckedLink& link);
  void known_text(std::string_view name, SharedTexts& texts, std::string_view text) {
    if (text.empty()) return;
    details_.key(name);
    texts.write(details_, brief(text));
  }
  void add_verdict(const CheckedLink& link);
  void add_so_far(const Snapshot& snapshot, std::string_view url);
  void add_times(const CheckedLink& link, std::size_t number);
  void add_checks(const std::vector<storage::CheckOutcome>& checks);
  void add_other_occurrences(const CheckedLink& link, std::size_t shown);
  void add_metadata(const parser::Metadata& metadata, std::string_view url);
  void add_help(const CheckedLink& link, std::size_t number);
  void add_connection(const Snapshot& snapshot);
  void write_chunk();
  void write_tables();
  void write_groups(JsonWriter& json);

  std::string_view name_of(storage::Health health) const { return enum_name(storage::health_names, health); }

  std::ostream& out_;
  const Report& report_;
  const PageLanguage language_;
  std::string rows_text_ = "[", details_text_ = "[";
  JsonWriter rows_{rows_text_}, details_{details_text_};
  std::size_t links_ = 0;         // links in the present chunk
  SharedTexts evidence_, words_;  // texts of the details
  NameTable hosts_, files_, reasons_, causes_, sites_, headings_, languages_;
  std::vector<std::array<std::string, 2>> reason_texts_{{"", ""}};  // by index: the reason, and its human-readable form
  std::vector<std::array<std::string, 3>> cause_texts_{{"", "", ""}};  // name, advice, reason
  std::vector<std::vector<std::string>> heading_paths_{{}};
};

void HtmlData::write_header() {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("lang", enum_name(page_language_names, language_));
  json.member("chunk", links_of_chunk);
  const auto names = [&json](std::string_view key, const auto& choices) {
    json.key(key);
    json.begin_array();
    for (const auto& choice : choices) json.text(choice.name);
    json.end_array();
  };
  names("sections", section_names);
  names("healths", storage::health_names);
  names("levels", level_names);
  names("changes", change_names);
  json.key("columns");
  json.begin_array();
  for (const std::string_view column : row_columns) json.text(column);
  if (has_earlier_run()) {
    for (const std::string_view column : change_columns) json.text(column);
  }
  json.end_array();
  write_run(json);
  write_since(json);
  write_counts(json);
  json.member("now", seconds_of(report_.now != Timestamp{} ? report_.now
                                                           : report_.run.finished_at.value_or(report_.run.started_at)));
  json.member("tally", summary_line(report_));
  json.key("outcome");
  json.begin_object();
  json.member("exit_code", report_.outcome.exit_code);
  json.member("why", brief(report_.outcome.why));
  json.member("other", other_reason(report_));
  json.end_object();
  json.end_object();
  block("id=\"report\"", text);
}

void HtmlData::write_run(JsonWriter& json) {
  const storage::Run& run = report_.run;
  json.key("run");
  json.begin_object();
  json.member("number", run.number);
  json.member("inputs", brief(describe_inputs(run.inputs)));
  json.member("started", seconds_of(run.started_at));
  json.member("finished", seconds_of(run.finished_at));
  const std::optional<Duration> elapsed = elapsed_of(report_);
  json.member("seconds", elapsed ? std::chrono::floor<std::chrono::seconds>(*elapsed).count() : std::int64_t{-1});
  json.member("state", enum_name(storage::run_state_names, run.state));
  json.member("vantage", brief(run.vantage));
  json.member("strikes", run.strikes);
  json.key("pace");
  json.begin_array();
  for (const storage::PaceBound& bound : report_.slowest_hosts) write_pace(json, bound);
  json.end_array();
  json.end_object();
}

void HtmlData::write_pace(JsonWriter& json, const storage::PaceBound& bound) {
  const auto milliseconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  json.begin_object();
  json.member("host", brief(bound.host));
  json.member("total", milliseconds(bound.min_duration()));
  json.member("links", bound.links);
  json.member("interval", milliseconds(bound.interval));
  json.member("robots", bound.is_crawl_delay);
  json.member("paused", bound.pauses ? milliseconds(bound.pauses->waited) : std::int64_t{0});
  json.member("asked", bound.pauses && bound.pauses->is_host_time);
  json.member("status", bound.pauses ? bound.pauses->status : 0);
  json.end_object();
}

// Writes the earlier run, and the changes that concern no link of this run.
void HtmlData::write_since(JsonWriter& json) {
  const Changes& changes = report_.changes;
  json.key("since");
  if (!has_earlier_run()) return json.word("null");
  json.begin_object();
  json.member("number", changes.since->number);
  json.member("finished", seconds_of(changes.since->finished_at.value_or(changes.since->started_at)));
  json.member("removed", changes.removed);
  json.member("repeated", changes.duplicates);
  json.end_object();
}

void HtmlData::write_counts(JsonWriter& json) {
  const Summary& summary = report_.summary;
  json.key("counts");
  json.begin_object();
  json.member("links", summary.links);
  json.member("places", summary.occurrences);
  json.member("hosts", summary.hosts);
  json.member("repeated", size_of(report_, Section::duplicates));
  json.member("noted", size_of(report_, Section::noted));
  json.member("pages", summary.pages);
  json.member("titles", summary.titles);
  json.member("authors", summary.authors);
  json.member("dates", summary.dates);
  json.member("from_browser", summary.from_browser);
  json.end_object();
}

void HtmlData::add_row(const ReportRow& row, const CheckedLink& link) {
  const storage::Verdict& verdict = link.result.verdict;
  const Snapshot& snapshot = link.state.snapshot;
  const std::vector<LinkOccurrence>& occurrences = link.result.occurrences;
  static const LinkOccurrence nowhere;
  const LinkOccurrence& occurrence = occurrences.empty() ? nowhere : occurrences[find_shown_occurrence(occurrences)];
  const auto add = [this](const auto& value) { write_json(rows_, value); };
  const auto numbered = [](NameTable& table, std::string_view name, auto& words, auto&& make) {
    const std::uint32_t number = table.intern(name);
    if (number == words.size()) words.push_back(make());
    return number;
  };
  rows_.begin_array();
  add(row.link);
  add(static_cast<int>(row.section));
  add(static_cast<int>(row.level));
  add(index_of(storage::health_names, verdict.health));
  const std::string words = describe_reason(verdict);
  add(numbered(reasons_, verdict.reason + '\n' + words, reason_texts_, [&] {
    return std::array{brief(verdict.reason), brief(words)};
  }));
  add(numbered(causes_, row.cause->name + '\n' + row.cause->advice, cause_texts_, [&] {
    return std::array{brief(row.cause->name), brief(row.cause->advice), brief(verdict.reason)};
  }));
  add(hosts_.intern(brief(report_.sections.hosts.text(row.host))));
  add(files_.intern(brief(occurrence.file)));
  add(occurrence.line);
  add(occurrence.column);
  add(occurrences.size());
  const std::string url = address(link_url(link));
  const std::string shown =
      brief(readable_url(occurrences.empty() ? link_url(link) : std::string_view(occurrence.url)));
  add(url);
  add(shown == url ? std::string() : shown);
  add(brief(occurrence.text));
  add(snapshot.status);
  const std::optional<std::uint32_t> time = response_time(snapshot);
  add(time ? static_cast<std::int64_t>(*time) : -1);
  const parser::Metadata& page = snapshot.metadata;
  add(page.title ? brief(page.title->value) : std::string());
  rows_.begin_array();
  if (page.authors) {
    const std::vector<std::string>& authors = page.authors->value;
    for (std::size_t i = 0; i < std::min(authors.size(), max_authors); ++i) add(brief(authors[i]));
  }
  rows_.end_array();
  add(page.published ? brief(page.published->value) : std::string());
  add(sites_.intern(page.site_name ? brief(page.site_name->value) : std::string()));
  std::vector<std::string> path;
  for (const std::string& heading : occurrence.headings) path.push_back(brief(heading));
  add(numbered(headings_, join(path, "\n"), heading_paths_, [&] { return path; }));
  add(languages_.intern(page.language ? brief(page.language->value) : std::string()));
  const auto has_role = [&occurrences](CatalogueRole role) {
    return std::ranges::any_of(occurrences, [role](const LinkOccurrence& one) { return catalogue_role(one) == role; });
  };
  add(has_role(CatalogueRole::entry) ? 1 : has_role(CatalogueRole::prose) ? 2 : 0);
  add(snapshot.facts.empty() ? 0 : 1);
  const bool has_end = snapshot.certificate && snapshot.certificate->expires;
  add(has_end ? std::chrono::floor<std::chrono::days>(*snapshot.certificate->expires).time_since_epoch().count() : 0);
  if (const storage::Relocation* const relocation = suggested_relocation(link)) {
    rows_.begin_array();
    rows_.text(enum_name(storage::relocation_level_names, relocation->level));
    add(address(relocation->url));
    rows_.end_array();
  } else {
    add(0);
  }
  if (has_earlier_run()) add_change(row);
  rows_.end_array();
}

// An accepted link has no change.
void HtmlData::add_change(const ReportRow& row) {
  const bool is_change_shown = row.section != Section::accepted;
  write_json(rows_, is_change_shown ? index_of(change_names, row.change->change) : no_name);
  write_json(rows_, row.change->before ? index_of(storage::health_names, *row.change->before) : no_name);
}

void HtmlData::add_detail(const ReportRow& row, const CheckedLink& link) {
  details_.begin_object();
  add_verdict(link);
  add_so_far(link.state.snapshot, link_url(link));
  add_times(link, row.link);
  if (!link.result.occurrences.empty()) add_other_occurrences(link, find_shown_occurrence(link.result.occurrences));
  add_metadata(link.state.snapshot.metadata, link_url(link));
  add_help(link, row.link);
  add_connection(link.state.snapshot);
  details_.end_object();
}

void HtmlData::add_verdict(const CheckedLink& link) {
  const storage::Verdict& verdict = link.result.verdict;
  const std::string words = brief(explained(link));
  if (words != describe_reason(verdict)) details_.member("explained", words);
  known_text("evidence", evidence_, verdict.evidence);
  known_text("rule", words_, verdict.rule);
  if (verdict.confidence < 1) details_.member("confidence", verdict.confidence);
}

// Writes redirects, and attempts if they say more than the row does.
void HtmlData::add_so_far(const Snapshot& snapshot, std::string_view url) {
  if (!snapshot.redirects.empty()) {
    details_.key("redirects");
    details_.begin_array();
    for (const storage::Redirect& hop : snapshot.redirects) {
      details_.begin_array();
      write_json(details_, hop.label());
      write_json(details_, address(hop.to));
      details_.end_array();
    }
    details_.end_array();
  }
  const std::vector<storage::Attempt>& attempts = snapshot.attempts;
  const bool is_plain = attempts.size() == 1 && attempts.front().failure.empty() && attempts.front().url == url;
  if (attempts.empty() || is_plain) return;
  details_.key("attempts");
  details_.begin_array();
  for (std::size_t i = 0; i < std::min(attempts.size(), max_attempts); ++i) {
    const storage::Attempt& attempt = attempts[i];
    details_.begin_array();
    write_json(details_, seconds_of(attempt.at));
    write_json(details_, brief(attempt.url));
    write_json(details_, attempt.milliseconds);
    write_json(details_, attempt.status);
    write_json(details_, brief(attempt.failure));
    details_.end_array();
  }
  details_.end_array();
}

void HtmlData::add_times(const CheckedLink& link, std::size_t number) {
  const storage::LinkState& state = link.state;
  known(details_, "from_store", link.result.is_from_store);
  details_.key("times");
  details_.begin_array();
  const std::int64_t checked = seconds_of(state.snapshot.fetched_at);
  write_json(details_, checked);
  for (const std::optional<Timestamp>& time : {std::optional(state.first_seen), state.last_alive, state.first_failed}) {
    if (!time || *time == Timestamp{}) {
      details_.word("null");
    } else {
      write_json(details_, seconds_of(*time) - checked);
    }
  }
  details_.end_array();
  known(details_, "strikes", state.strikes);
  known(details_, "vantage", brief(state.snapshot.vantage));
  if (!state.vantages.empty()) {
    details_.key("vantages");
    details_.begin_array();
    for (const storage::VantageCheck& check : state.vantages) {
      details_.begin_array();
      write_json(details_, brief(check.vantage));
      write_json(details_, seconds_of(check.at));
      write_json(details_, name_of(check.verdict.health));
      write_json(details_, brief(check.verdict.reason));
      details_.end_array();
    }
    details_.end_array();
  }
  add_checks(report_.links->checks(number));
}

// Writes the last checks. Consecutive checks with the same health become one item: time of the first, health, and
// number.
void HtmlData::add_checks(const std::vector<storage::CheckOutcome>& checks) {
  if (checks.size() < 2) return;
  details_.key("looks");
  details_.begin_array();
  for (auto check = checks.begin(); check != checks.end();) {
    const auto next = std::find_if(check, checks.end(),
                                   [&](const storage::CheckOutcome& one) { return one.health != check->health; });
    details_.begin_array();
    write_json(details_, seconds_of(check->at));
    write_json(details_, name_of(check->health));
    write_json(details_, static_cast<std::int64_t>(next - check));
    details_.end_array();
    check = next;
  }
  details_.end_array();
}

void HtmlData::add_other_occurrences(const CheckedLink& link, std::size_t shown) {
  const std::vector<LinkOccurrence>& occurrences = link.result.occurrences;
  if (occurrences.size() < 2) return;
  details_.key("places");
  details_.begin_array();
  std::size_t written = 0;
  for (std::size_t i = 0; i < occurrences.size() && written < max_occurrences; ++i) {
    if (i == shown) continue;
    const LinkOccurrence& occurrence = occurrences[i];
    details_.begin_array();
    write_json(details_, files_.intern(brief(occurrence.file)));
    write_json(details_, occurrence.line);
    write_json(details_, occurrence.column);
    write_json(details_,
               occurrence.url == occurrences[shown].url ? std::string() : brief(readable_url(occurrence.url)));
    write_json(details_, occurrence.text == occurrences[shown].text ? std::string() : brief(occurrence.text));
    details_.end_array();
    ++written;
  }
  details_.end_array();
}

// Writes the source and the confidence in percent of each field, and its value unless the row has it.
void HtmlData::add_metadata(const parser::Metadata& metadata, std::string_view url) {
  bool any = false;
  const auto begin = [&](int number, const auto& field) {
    if (!std::exchange(any, true)) {
      details_.key("metadata");
      details_.begin_array();
    }
    details_.begin_array();
    write_json(details_, number);
    words_.write(details_, brief(field.source));
    write_json(details_, static_cast<int>(std::lround(100 * field.confidence)));
  };
  int number = 0;
  const auto in_row = [&](const auto& field) {
    if (field) {
      begin(number, *field);
      details_.end_array();
    }
    ++number;
  };
  const auto with_value = [&](const std::optional<parser::Field<std::string>>& field, const auto& written) {
    if (field) {
      begin(number, *field);
      write_json(details_, written(field->value));
      details_.end_array();
    }
    ++number;
  };
  // Must have the order of metadataFields in html/script/report_data.js.
  in_row(metadata.title);
  in_row(metadata.authors);
  in_row(metadata.published);
  in_row(metadata.language);
  in_row(metadata.site_name);
  with_value(metadata.modified, brief);
  with_value(metadata.description,
             [](std::string_view text) { return shortened(brief(text), max_description_columns); });
  with_value(metadata.canonical, [url](std::string_view text) { return text == url ? std::string() : address(text); });
  if (any) details_.end_array();
}

void HtmlData::add_help(const CheckedLink& link, std::size_t number) {
  if (!link.state.snapshot.facts.empty()) {
    details_.key("facts");
    details_.begin_array();
    for (const storage::Fact& fact : link.state.snapshot.facts) write_json(details_, brief(fact.text));
    details_.end_array();
  }
  if (const storage::Relocation* const relocation = suggested_relocation(link)) {
    details_.key("relocated");  // its address and level are in the row
    details_.begin_array();
    details_.text(enum_name(storage::relocation_source_names, relocation->source));
    write_json(details_, brief(relocation->evidence));
    details_.end_array();
  }
  if (const storage::ArchivedCopy* const copy = suggested_copy(link)) {
    details_.key("archived");
    details_.begin_array();
    write_json(details_, address(copy->url));
    write_json(details_, seconds_of(copy->date));
    details_.end_array();
  }
  const auto accepted = report_.accepted.find(number);
  if (accepted != report_.accepted.end()) {
    const Acceptance& known_failure = accepted->second;
    details_.member("accepted",
                    std::vector{brief(known_failure.reason), brief(known_failure.until), brief(known_failure.by)});
  }
}

void HtmlData::add_connection(const Snapshot& snapshot) {
  known_text("content_type", words_, snapshot.content_type);
  known(details_, "bytes", snapshot.body_bytes);
  known_text("address", words_, snapshot.remote_address);
  if (!snapshot.certificate) return;
  details_.key("certificate");
  details_.begin_array();
  words_.write(details_, brief(snapshot.certificate->subject));
  words_.write(details_, brief(snapshot.certificate->issuer));
  write_json(details_, seconds_of(snapshot.certificate->expires));
  details_.end_array();
}

void HtmlData::write_chunk() {
  block("class=\"rows\"", rows_text_ + "]");
  block("class=\"details\"", details_text_ + "]");
  rows_text_ = details_text_ = "[";
  links_ = 0;
}

void HtmlData::write_groups(JsonWriter& json) {
  json.key("groups");
  json.begin_array();
  for (const DuplicateGroup& group : report_.duplicates) {
    json.begin_array();
    json.text(enum_name(duplicate_layer_names, group.layer));
    write_json(json, group.is_certain);
    write_json(json, group.parallel_link_count);
    json.begin_array();
    for (const EntryLocation& entry : group.entries) {
      json.begin_array();
      write_json(json, entry.link);
      write_json(json, files_.intern(brief(entry.file)));
      write_json(json, entry.line);
      write_json(json, entry.column);
      json.end_array();
    }
    json.end_array();
    json.end_array();
  }
  json.end_array();
}

void HtmlData::write_tables() {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_groups(json);  // before the files, because it may add names of files
  const auto names = [&json](std::string_view key, const NameTable& table) {
    json.key(key);
    json.begin_array();
    for (std::uint32_t i = 0; i < table.size(); ++i) json.text(table.text(i));
    json.end_array();
  };
  const auto rows = [&json](std::string_view key, const auto& table) {
    json.key(key);
    json.begin_array();
    for (const auto& row : table) {
      json.begin_array();
      for (const std::string& cell : row) json.text(cell);
      json.end_array();
    }
    json.end_array();
  };
  names("hosts", hosts_);
  names("files", files_);
  names("sites", sites_);
  names("languages", languages_);
  names("evidence", evidence_.names());
  names("words", words_.names());
  rows("reasons", reason_texts_);
  rows("causes", cause_texts_);
  rows("headings", heading_paths_);
  json.end_object();
  block("id=\"tables\"", text);
}

}  // namespace

void write_html(std::ostream& out, const Report& report, PageLanguage language) {
  const std::string title = brief(fmt::format("{} · linkherd", describe_inputs(report.run.inputs)));
  const auto write_part = [&](std::string_view name) {
    if (name == "lang") out << (language == PageLanguage::chinese ? "zh-CN" : "en");
    if (name == "title") out << escape_for_xml(title);
    if (name == "tally") out << escape_for_xml(summary_line(report));
    if (name == "script_hash") out << policy_hash(html_script());
    if (name == "style_hash") out << policy_hash(html_style());
    if (name == "script") out << html_script();
    if (name == "style") out << html_style();
    if (name == "data") HtmlData(out, report, language).write();
  };
  std::string_view rest = html_page();
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    const std::size_t close = std::min(rest.find('}', open), rest.size());
    out << rest.substr(0, open);
    if (open < rest.size()) write_part(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(std::min(close + 1, rest.size()));
  }
}

}  // namespace linkherd::reports
