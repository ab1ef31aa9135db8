#include "crawler/lookups/archive.h"

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
#include "parser/url/host_labels.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

namespace json = boost::json;
using storage::ArchivedCopy;

constexpr std::size_t max_link_bytes = 4096;
constexpr std::size_t max_copy_url_bytes = 2 * max_link_bytes;
constexpr std::size_t max_copies = 20'000;  // of a TimeMap
constexpr std::size_t max_captures = 50;    // of an index of captures
constexpr Timestamp first_archive{std::chrono::sys_days(std::chrono::year(1996) / 1 / 1)};
constexpr auto clock_difference = std::chrono::hours(24);

// Returns a date such as "20260305102000".
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

std::optional<Timestamp> parse_word_time(std::string_view words) {
  constexpr std::size_t max_bytes = 64;
  if (words.size() > max_bytes) return std::nullopt;
  const auto date = parser::parse_written_date(words);
  return date && date->has_day() ? std::optional(parser::start_of_date(*date)) : std::nullopt;
}

std::string requested_href(const parser::Url& link) {
  return std::string(parser::without_credentials(link).href_without_fragment());
}

bool names_a_relation(const parser::LinkValue& link) { return !link.parameter("rel").empty(); }

std::string text_at(const json::value& root, const char* path) { return parser::text_of(parser::at_path(root, path)); }

// Returns a URL without its scheme: "//host:8080/path?query".
std::string_view after_scheme(const parser::Url& url) {
  return url.href_without_fragment().substr(url.scheme().size() + 1);
}

// RFC 8375. All other names that are never public have a non-public top-level domain.
bool is_for_homes(std::string_view host) { return host == "home.arpa" || host.ends_with(".home.arpa"); }

// Returns true for the flag that may follow the date in the URL of a copy, such as "id_".
bool is_replay_flag(std::string_view text) {
  return text.empty() ||
         (text.size() == 3 && parser::is_ascii_letter(text[0]) && parser::is_ascii_letter(text[1]) && text[2] == '_');
}

// Returns what the various URLs of one page have in common: without scheme, "www.", default port and final slash.
std::string page_key(const parser::Url& url) {
  std::string key(parser::without_www(url.host()));
  if (url.port()) key.append(fmt::format(":{}", *url.port()));
  std::string_view path = url.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  key.append(path);
  if (!url.query().empty()) key.append("?").append(url.query());
  return key;
}

// Returns true if `original` is the URL of the link, as it follows the date in the URL of a copy. Some archives omit
// the scheme.
bool is_page(std::string_view original, const parser::Url& link) {
  const bool has_scheme =
      parser::starts_ignoring_case(original, "http:") || parser::starts_ignoring_case(original, "https:");
  const auto url = parser::Url::parse(has_scheme ? std::string(original) : fmt::format("http://{}", original));
  return url.has_value() && url->username().empty() && url->password().empty() && page_key(*url) == page_key(link);
}

// Returns why a response is unusable. Empty if it may be usable.
std::string problem_of(const storage::Snapshot& reply) {
  const std::string failure = reply.attempts.empty() ? std::string() : reply.attempts.back().failure;
  if (reply.status == 0) return fmt::format("it did not answer ({})", failure.empty() ? "not asked" : failure);
  if (reply.status != 200) return fmt::format("it answered with status {}", reply.status);
  if (!reply.is_body_complete) return "its response is incomplete or too long";
  return {};
}

Duration distance(Timestamp a, Timestamp b) { return a < b ? b - a : a - b; }

}  // namespace

Archive::Archive()
    : availability_("https://archive.org/wayback/available"),
      timemap_("https://web.archive.org/web/timemap/link/"),
      captures_("https://web.archive.org/cdx/search/cdx"),
      copies_("//web.archive.org/web/") {}

Archive::Archive(const parser::Url& base) : is_https_(base.scheme() == "https") {
  std::string_view href = base.href_without_fragment();
  while (href.ends_with('/')) href.remove_suffix(1);
  availability_.append(href).append("/wayback/available");
  timemap_.append(href).append("/web/timemap/link/");
  captures_.append(href).append("/cdx/search/cdx");
  copies_.append(href.substr(base.scheme().size() + 1)).append("/web/");
}

bool Archive::may_know(const parser::Url& link) const {
  const std::string_view host = link.host();
  const std::size_t dot = host.rfind('.');
  if (!link.is_http() || link.host_kind() != parser::HostKind::domain || dot == std::string_view::npos) return false;
  if (!parser::is_top_level_domain(std::string(host.substr(dot + 1))) || is_for_homes(host)) return false;
  const std::string href = requested_href(link);
  const std::string plain = parser::percent_decode(href);  // a URL in a query is often escaped
  return href.size() <= max_link_bytes && !parser::has_secret_parameter(link) && parser::mask_password(href) == href &&
         parser::mask_password(plain) == plain && host != "web.archive.org" && !after_scheme(link).starts_with(copies_);
}

parser::Url Archive::availability(const DeadLink& link) const {
  return parser::Url::parse(fmt::format("{}?url={}&timestamp={}", availability_,
                                        parser::percent_encode_component(requested_href(link.url)),
                                        fourteen_digits(link.wanted)))
      .value();
}

parser::Url Archive::timemap(const DeadLink& link) const {
  return parser::Url::parse(timemap_ + requested_href(link.url)).value();
}

std::optional<ArchivedCopy> Archive::copy(std::string_view href, std::optional<Timestamp> date, const DeadLink& link,
                                          Timestamp now) const {
  if (!date || *date < first_archive || *date > now + clock_difference || href.size() > max_copy_url_bytes)
    return std::nullopt;
  const auto url = parser::Url::parse(href);
  if (url.has_error() || !url->is_http() || !after_scheme(*url).starts_with(copies_)) return std::nullopt;
  std::string_view rest = after_scheme(*url).substr(copies_.size());
  const std::string digits = fourteen_digits(*date);
  if (!rest.starts_with(digits)) return std::nullopt;
  rest.remove_prefix(digits.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || !is_replay_flag(rest.substr(0, slash))) return std::nullopt;
  if (!is_page(rest.substr(slash + 1), link.url)) return std::nullopt;
  // The Wayback Machine names its copies with http, and redirects to https.
  const std::string_view scheme = is_https_ ? std::string_view("https") : url->scheme();
  return ArchivedCopy{fmt::format("{}:{}", scheme, after_scheme(*url)), *date, now};
}

Result<std::optional<ArchivedCopy>> Archive::available_copy(std::string_view json, const DeadLink& link,
                                                            Timestamp now) const {
  json::value answer;
  if (!parser::parse_embedded_json(json, answer)) return Error{"not JSON"};
  const json::value* snapshots = parser::at_path(answer, "archived_snapshots");
  if (snapshots == nullptr || !snapshots->is_object()) return Error{"JSON without archived_snapshots"};
  const std::optional<ArchivedCopy> none;
  const json::value* closest = parser::at_path(*snapshots, "closest");
  if (closest == nullptr || !text_at(*closest, "status").starts_with('2')) return none;
  const json::value* available = parser::at_path(*closest, "available");
  if (available == nullptr || !available->is_bool() || !available->get_bool()) return none;
  return copy(text_at(*closest, "url"), time_of_digits(text_at(*closest, "timestamp")), link, now);
}

Result<std::optional<ArchivedCopy>> Archive::nearest_copy(std::string_view timemap, const DeadLink& link,
                                                          Timestamp now) const {
  const std::vector<parser::LinkValue> links = parser::parse_link_values(timemap, max_copies);
  const bool is_timemap = parser::trim_ascii(timemap).empty() || std::ranges::any_of(links, names_a_relation);
  if (!is_timemap) return Error{"not in link format"};
  std::optional<ArchivedCopy> nearest;
  for (const parser::LinkValue& one : links) {
    if (!one.has_relation("memento")) continue;
    std::optional<ArchivedCopy> found = copy(one.target, parse_word_time(one.parameter("datetime")), link, now);
    if (found && (!nearest || distance(found->date, link.wanted) < distance(nearest->date, link.wanted)))
      nearest = std::move(found);
  }
  if (!nearest && links.size() == max_copies) return Error{fmt::format("{} entries or more", max_copies)};
  return nearest;
}

parser::Url Archive::captures(const parser::Url& page, std::optional<Timestamp> last_good) const {
  std::string href = fmt::format("{}?url={}&output=json&fl=timestamp,statuscode,original", captures_,
                                 parser::percent_encode_component(requested_href(page)));
  if (last_good) {
    href += fmt::format("&filter=statuscode:3..&from={}&limit={}", fourteen_digits(*last_good), max_captures);
  } else {
    href += fmt::format("&filter=statuscode:[23]..&limit=-{}", max_captures);  // the last ones
  }
  return parser::Url::parse(href).value();
}

Result<PageCaptures> Archive::read_captures(std::string_view json, const parser::Url& page, Timestamp now) const {
  struct Row {
    std::string date;
    bool is_redirect = false;
    bool is_https = false;
  };
  json::value answer;
  const bool is_empty = parser::trim_ascii(json).empty();
  if (!is_empty && !parser::parse_embedded_json(json, answer)) return Error{"not JSON"};
  if (!is_empty && !answer.is_array()) return Error{"JSON without a list"};
  std::vector<Row> rows;
  for (std::size_t i = 0; !is_empty && i < answer.get_array().size() && rows.size() < max_captures; ++i) {
    const auto cell = [&](int column) { return text_at(answer, fmt::format("{}.{}", i, column).c_str()); };
    const std::string date = cell(0);
    const std::string status = cell(1);
    const std::string original = cell(2);
    const std::optional<Timestamp> time = time_of_digits(date);
    if (!time || *time < first_archive || *time > now + clock_difference || !is_page(original, page)) continue;
    if (status.starts_with('3') || status == "200")
      rows.push_back({date, status.starts_with('3'), parser::starts_ignoring_case(original, "https:")});
  }
  std::ranges::sort(rows, {}, &Row::date);
  // The last good copy with a redirect after it. Later ones may be of another owner of the host.
  const auto last_redirect = std::ranges::find_if(rows.rbegin(), rows.rend(), &Row::is_redirect);
  auto copy = std::find_if(last_redirect, rows.rend(), [](const Row& row) { return !row.is_redirect; });
  if (copy == rows.rend()) copy = std::ranges::find_if_not(rows.rbegin(), rows.rend(), &Row::is_redirect);
  PageCaptures captures;
  if (copy != rows.rend()) captures.copy = copy->date;
  // A redirect from http may only lead to https.
  const auto after = copy == rows.rend() ? rows.begin() : copy.base();
  auto redirect = std::find_if(after, rows.end(), [](const Row& row) { return row.is_redirect && row.is_https; });
  if (redirect == rows.end())
    redirect = std::find_if(after, rows.end(), [](const Row& row) { return row.is_redirect; });
  if (redirect != rows.end()) captures.redirect = redirect->date;
  return captures;
}

parser::Url Archive::capture(const parser::Url& page, std::string_view date) const {
  return parser::Url::parse(
             fmt::format("{}:{}{}id_/{}", is_https_ ? "https" : "http", copies_, date, requested_href(page)))
      .value();
}

std::optional<parser::Url> Archive::captured_url(const parser::Url& capture) const {
  std::string_view rest = after_scheme(capture);
  if (!capture.is_http() || !rest.starts_with(copies_)) return std::nullopt;
  rest.remove_prefix(copies_.size());
  const std::size_t slash = rest.find('/');
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (slash == std::string_view::npos || digits == 0 || digits > slash ||
      !is_replay_flag(rest.substr(digits, slash - digits)))
    return std::nullopt;
  Result<parser::Url> url = parser::Url::parse(rest.substr(slash + 1));
  if (url.has_error() || !url->is_http() || url->href().size() > max_link_bytes) return std::nullopt;
  return std::move(*url);
}

std::optional<parser::Url> Archive::redirect_target(const storage::Snapshot& answer, const parser::Url& page) const {
  std::optional<parser::Url> target;
  for (const storage::Redirect& redirect : answer.redirects) {
    Result<parser::Url> to = parser::Url::parse(redirect.to);
    if (to.has_error() || !to->is_http() || to->href().size() > max_copy_url_bytes) continue;
    // Archives rewrite the target. The original one leads to another host, and is not followed.
    std::optional<parser::Url> url = captured_url(*to);
    if (!url && !after_scheme(*to).starts_with(copies_)) url = std::move(*to);
    if (url && page_key(*url) != page_key(page)) target = std::move(url);
  }
  return target;
}

FetchRequest ArchiveLookups::make_request(DeadLink link) {
  link_ = std::move(link);
  requests_timemap_ = false;
  return FetchRequest::follow_up(Purpose::archive, archive_.availability(*link_));
}

ArchiveLookups::Outcome ArchiveLookups::handle_response(const storage::Snapshot& response, std::string_view body) {
  if (!link_) return {};
  const DeadLink link = *std::exchange(link_, std::nullopt);
  Result<Outcome> outcome = read(response, body, link);
  if (outcome.has_value()) {
    if (outcome->known) failures_ = 0;
    if (outcome->next) link_ = link;
    return std::move(*outcome);
  }
  ++failures_;
  spdlog::debug(fmt::format("the archive did not answer about a dead link: {}", outcome.error().message));
  if (is_abandoned()) {
    spdlog::info(fmt::format("no more archive lookups in this run: {} lookups in a row failed; the last one: {}",
                             failures_, outcome.error().message));
  }
  return {};
}

// Returns an error if the response is unusable.
Result<ArchiveLookups::Outcome> ArchiveLookups::read(const storage::Snapshot& response, std::string_view body,
                                                     const DeadLink& link) {
  const Timestamp now = response.fetched_at;
  const auto known = [&](ArchivedCopy copy) { return Outcome{{}, {{link.index, std::move(copy)}}}; };
  const ArchivedCopy no_copy{{}, {}, now};
  if (requests_timemap_ && response.status == 404) return known(no_copy);
  if (const std::string problem = problem_of(response); !problem.empty()) return Error{problem};
  auto copy = requests_timemap_ ? archive_.nearest_copy(body, link, now) : archive_.available_copy(body, link, now);
  if (copy.has_error()) return Error{fmt::format("its answer is {}", copy.error().message)};
  if (*copy) return known(std::move(**copy));
  if (requests_timemap_) return known(no_copy);
  requests_timemap_ = true;
  return Outcome{FetchRequest::follow_up(Purpose::archive, archive_.timemap(link)), {}};
}

}  // namespace linkherd::crawler
