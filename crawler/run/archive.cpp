#include "crawler/run/archive.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "parser/ascii.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/link_values.h"
#include "parser/url/credentials.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

namespace json = boost::json;
using storage::ArchivedCopy;

constexpr std::size_t longest_link = 4096;
constexpr std::size_t longest_copy = 2 * longest_link;
constexpr std::size_t most_copies = 20'000;  // of a TimeMap
constexpr Timestamp first_archive{std::chrono::sys_days(std::chrono::year(1996) / 1 / 1)};
constexpr auto clock_difference = std::chrono::hours(24);

// "20260305102000".
std::string fourteen_digits(Timestamp time) {
  std::string digits = format_timestamp(time).substr(0, 19);
  std::erase_if(digits, [](char c) { return !parser::is_ascii_digit(c); });
  return digits;
}

std::optional<Timestamp> time_of_digits(std::string_view digits) {
  if (digits.size() != 14 || !std::ranges::all_of(digits, parser::is_ascii_digit)) return std::nullopt;
  const auto part = [digits](std::size_t at) { return digits.substr(at, 2); };
  const auto time = parse_timestamp(
      fmt::format("{}-{}-{}T{}:{}:{}Z", digits.substr(0, 4), part(4), part(6), part(8), part(10), part(12)));
  return time.has_value() ? std::optional(*time) : std::nullopt;
}

std::optional<Timestamp> time_of_words(std::string_view words) {
  constexpr std::size_t longest = 64;
  if (words.size() > longest) return std::nullopt;
  const auto date = parser::parse_written_date(words);
  return date && date->has_day() ? std::optional(parser::start_of(*date)) : std::nullopt;
}

std::string_view without_www(std::string_view host) {
  constexpr std::string_view www = "www.";
  return host.starts_with(www) ? host.substr(www.size()) : host;
}

std::string asked_href(const parser::Url& link) {
  return std::string(parser::without_credentials(link).href_without_fragment());
}

bool names_a_relation(const parser::LinkValue& link) { return !link.parameter("rel").empty(); }

std::string text_at(const json::value& root, const char* path) { return parser::text_of(parser::at_path(root, path)); }

bool is_no_answer(int status) { return status == 0 || status == 429 || status >= 500; }

Duration distance(Timestamp a, Timestamp b) { return a < b ? b - a : a - b; }

}  // namespace

Archive::Archive()
    : availability_("https://archive.org/wayback/available"),
      timemap_("https://web.archive.org/web/timemap/link/"),
      domain_("archive.org") {}

Archive::Archive(const parser::Url& base)
    : domain_(parser::registrable_domain(base)), is_https_(base.scheme() == "https") {
  std::string_view href = base.href_without_fragment();
  while (href.ends_with('/')) href.remove_suffix(1);
  availability_.append(href).append("/wayback/available");
  timemap_.append(href).append("/web/timemap/link/");
}

bool Archive::may_know(const parser::Url& link) const {
  return link.is_http() && link.host_kind() == parser::HostKind::domain &&
         link.host().find('.') != std::string_view::npos && link.href().size() <= longest_link &&
         parser::registrable_domain(link) != domain_;
}

parser::Url Archive::availability(const DeadLink& link) const {
  return parser::Url::parse(fmt::format("{}?url={}&timestamp={}", availability_,
                                        parser::percent_encode_component(asked_href(link.url)),
                                        fourteen_digits(link.wanted)))
      .value();
}

parser::Url Archive::timemap(const DeadLink& link) const {
  return parser::Url::parse(timemap_ + asked_href(link.url)).value();
}

std::optional<ArchivedCopy> Archive::copy(std::string_view href, std::optional<Timestamp> date, const DeadLink& link,
                                          Timestamp now) const {
  if (!date || *date < first_archive || *date > now + clock_difference || href.size() > longest_copy)
    return std::nullopt;
  const auto url = parser::Url::parse(href);
  if (url.has_error() || !url->is_http() || parser::registrable_domain(*url) != domain_) return std::nullopt;
  if (!url->username().empty() || !url->password().empty()) return std::nullopt;
  // Archives write the address of the page behind their own.
  const std::string path = parser::to_ascii_lower(url->href().substr(url->origin().size()));
  if (path.find(without_www(link.url.host())) == std::string::npos) return std::nullopt;
  // The Wayback Machine names its copies with http, and redirects to https.
  const bool upgrade = is_https_ && url->scheme() == "http" && !url->port();
  return ArchivedCopy{upgrade ? fmt::format("https{}", url->href().substr(4)) : std::string(url->href()), *date, now};
}

std::optional<ArchivedCopy> Archive::available_copy(std::string_view json, const DeadLink& link, Timestamp now) const {
  json::value answer;
  if (!parser::parse_embedded_json(json, answer)) return std::nullopt;
  const json::value* closest = parser::at_path(answer, "archived_snapshots.closest");
  if (closest == nullptr || !text_at(*closest, "status").starts_with('2')) return std::nullopt;
  const json::value* available = parser::at_path(*closest, "available");
  if (available == nullptr || !available->is_bool() || !available->get_bool()) return std::nullopt;
  return copy(text_at(*closest, "url"), time_of_digits(text_at(*closest, "timestamp")), link, now);
}

Result<std::optional<ArchivedCopy>> Archive::nearest_copy(std::string_view timemap, const DeadLink& link,
                                                          Timestamp now) const {
  const std::vector<parser::LinkValue> links = parser::parse_link_values(timemap, most_copies);
  const bool is_timemap = parser::trim_ascii(timemap).empty() || std::ranges::any_of(links, names_a_relation);
  if (!is_timemap) return Error{"not in link format"};
  std::optional<ArchivedCopy> nearest;
  for (const parser::LinkValue& one : links) {
    if (!one.has_relation("memento")) continue;
    std::optional<ArchivedCopy> found = copy(one.target, time_of_words(one.parameter("datetime")), link, now);
    if (found && (!nearest || distance(found->date, link.wanted) < distance(nearest->date, link.wanted)))
      nearest = std::move(found);
  }
  return nearest;
}

FetchRequest ArchiveQuestions::ask(DeadLink link) {
  link_ = std::move(link);
  asks_timemap_ = false;
  return FetchRequest::follow_up(Purpose::archive, archive_.availability(*link_));
}

ArchiveQuestions::Outcome ArchiveQuestions::enter(const AnalyzedPage& answer) {
  if (!link_) return {};
  const storage::Snapshot& reply = answer.snapshot;
  const DeadLink link = *link_;
  link_.reset();
  if (is_no_answer(reply.status)) {
    fail(reply.status == 0 ? "it did not answer" : fmt::format("it answered with status {}", reply.status));
    return {};
  }
  failures_ = 0;
  const Timestamp now = reply.fetched_at;
  const std::string_view body = reply.body_complete ? std::string_view(answer.body) : std::string_view();
  if (!asks_timemap_) {
    std::optional<ArchivedCopy> copy =
        reply.status == 200 ? archive_.available_copy(body, link, now) : std::optional<ArchivedCopy>();
    if (copy) return {{}, {{link.number, std::move(*copy)}}};
    link_ = link;
    asks_timemap_ = true;
    return {FetchRequest::follow_up(Purpose::archive, archive_.timemap(link)), {}};
  }
  if (reply.status == 404) return {{}, {{link.number, ArchivedCopy{{}, {}, now}}}};
  if (reply.status != 200 || !reply.body_complete) return {};
  const auto copy = archive_.nearest_copy(body, link, now);
  if (copy.has_error()) {
    spdlog::info("{}: no TimeMap: {}", archive_.timemap(link).href(), copy.error().message);
    return {};
  }
  return {{}, {{link.number, copy->value_or(ArchivedCopy{{}, {}, now})}}};
}

void ArchiveQuestions::fail(std::string_view why) {
  ++failures_;
  spdlog::info("the archive says nothing of a dead link: {}", why);
  if (has_given_up()) spdlog::info("the archive is not asked about dead links again in this run");
}

}  // namespace linkherd::crawler
