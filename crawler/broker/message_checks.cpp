#include "crawler/broker/message_checks.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <google/protobuf/io/coded_stream.h>

#include "parser/ascii.h"
#include "parser/url/url.h"

namespace linkherd::crawler {
namespace {

// The limits are those of the fetch pool. Everything that servers and users can make a worker or a run send is
// therefore accepted, and no server can stop a run.
constexpr std::size_t max_field_bytes = std::size_t{64} << 10;
constexpr std::size_t max_cookie_bytes = std::size_t{16} << 10;  // of all cookies together
constexpr std::size_t max_fields = 100;
constexpr std::size_t max_cookies = 50;
constexpr std::size_t max_hops = 100'000;
constexpr std::size_t max_robots_bytes = std::size_t{500} << 10;
constexpr std::size_t max_word_bytes = 1000;
constexpr int max_status = 999;
constexpr int max_strikes = 1'000'000;
constexpr std::uint64_t max_parts = 1'000'000;

// RFC 9110, section 5.6.2.
bool is_token(std::string_view text) {
  static constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return parser::is_ascii_alphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

bool is_field_text(std::string_view text) {
  return text.size() <= max_field_bytes &&
         std::ranges::none_of(text, [](char c) { return parser::is_ascii_control(c) && c != '\t'; });
}

// These fields determine where a request goes and where it ends.
bool is_framing(std::string_view name) {
  constexpr std::array<std::string_view, 7> names{"connection",        "content-length", "host",   "te",
                                                  "transfer-encoding", "trailer",        "upgrade"};
  return parser::is_one_of(names, parser::to_ascii_lower(name)) || parser::starts_ignoring_case(name, "proxy-");
}

bool is_header_line(std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  return colon < line.size() && is_token(line.substr(0, colon)) && !is_framing(line.substr(0, colon)) &&
         is_field_text(line);
}

bool is_cookie_text(std::string_view text) { return is_field_text(text) && text.find(';') == std::string_view::npos; }

// A URL in a snapshot. Its secrets are masked, so it may differ from the form that the URL parser writes.
bool is_shown_address(std::string_view text) {
  return (text.starts_with("http://") || text.starts_with("https://")) &&
         std::ranges::none_of(text, [](char c) { return c == ' ' || parser::is_ascii_control(c); });
}

bool is_status(int status) { return status >= 0 && status <= max_status; }

// A term of a verdict: "http_404", "wall:aws_waf", or the name of a user's rule.
bool is_word(std::string_view text) { return text.size() <= max_word_bytes && !parser::has_ascii_control(text); }

bool is_hex_digest(std::string_view text) {
  constexpr std::size_t sha256_digits = 64;
  return text.size() == sha256_digits && std::ranges::all_of(text, [](char c) { return parser::hex_value(c) >= 0; });
}

// Kinds of parts that have parts themselves.
enum class Part : std::uint8_t {
  requests,
  request,
  pages,
  page,
  lease,
  progress,
  plan,
  piece,
  link,
  others,  // all parts without nested parts
  text
};

Part part_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::requests: return Part::requests;
    case MessageKind::pages: return Part::pages;
    case MessageKind::lease: return Part::lease;
    case MessageKind::progress: return Part::progress;
    case MessageKind::plan: return Part::plan;
    case MessageKind::piece: return Part::piece;
    case MessageKind::snapshot: return Part::others;
  }
  return Part::text;
}

// Uses the field numbers of messages.proto.
Part part_of(Part whole, int field) {
  switch (whole) {
    case Part::requests: return field == 1 ? Part::request : Part::text;
    case Part::request: return field == 3 || field == 12 ? Part::others : Part::text;
    case Part::pages: return field == 1 ? Part::page : field == 2 ? Part::others : Part::text;
    case Part::page: return field == 14 ? Part::others : Part::text;
    case Part::lease: return field == 4 ? Part::others : Part::text;
    case Part::progress: return field == 9 ? Part::others : Part::text;
    case Part::plan: return field == 12 || field == 13 ? Part::others : Part::text;
    case Part::piece: return field == 3 ? Part::link : Part::text;
    case Part::link:
    case Part::others:
    case Part::text: break;
  }
  return Part::text;
}

constexpr std::uint32_t wire_bits = 3;
constexpr std::uint32_t wire_varint = 0, wire_64_bits = 1, wire_text = 2, wire_32_bits = 5;

// Counts the fields up to `left`. Returns false if there are more. Malformed bytes end the count, because the parser
// rejects them at the same position.
bool count_parts(Part whole, std::string_view bytes, std::uint64_t& left) {  // NOLINT(misc-no-recursion): three levels
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    if (left-- == 0) return false;
    std::uint64_t number = 0;
    std::uint32_t size = 0;
    switch (tag & ((1U << wire_bits) - 1)) {
      case wire_varint:
        if (!in.ReadVarint64(&number)) return true;
        break;
      case wire_64_bits:
        if (!in.Skip(8)) return true;
        break;
      case wire_32_bits:
        if (!in.Skip(4)) return true;
        break;
      case wire_text: {
        if (!in.ReadVarint32(&size)) return true;
        const auto at = static_cast<std::size_t>(in.CurrentPosition());
        if (size > bytes.size() - at) return true;
        const Part part = part_of(whole, static_cast<int>(tag >> wire_bits));
        if (part != Part::text && !count_parts(part, bytes.substr(at, size), left)) return false;
        if (!in.Skip(static_cast<int>(size))) return true;
        break;
      }
      default: return true;
    }
  }
  return true;
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= max_name_length && parser::is_ascii_alphanumeric(text.front()) &&
         std::ranges::all_of(text, is_name_character);
}

bool is_web_href(std::string_view text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  return url && url->is_http() && url->href() == text;
}

bool is_web_origin(std::string_view text) {
  const Result<parser::Url> url = parser::Url::parse(text);
  return url && url->is_http() && url->origin() == text;
}

Timestamp moved(Timestamp time, Duration by) {
  static constexpr Timestamp last{std::chrono::sys_days(std::chrono::year(9999) / 1 / 1)};
  return std::clamp(time + by, Timestamp{}, last);
}

Result<void> check_validators(const Validators& validators) {
  const bool is_good = is_field_text(validators.etag) && is_field_text(validators.last_modified) &&
                       validators.lines.size() <= max_fields && std::ranges::all_of(validators.lines, is_header_line);
  if (!is_good) return Error{"a request with header fields that linkherd never sends"};
  return {};
}

Result<void> check_cookies(const std::vector<Cookie>& cookies) {
  std::size_t bytes = 0;
  for (const Cookie& cookie : cookies) {
    bytes += cookie.name.size() + cookie.value.size();
    if (cookie.name.empty() || !is_cookie_text(cookie.name) || !is_cookie_text(cookie.value))
      return Error{"an invalid cookie"};
  }
  if (cookies.size() > max_cookies || bytes > max_cookie_bytes) return Error{"too many cookies for one link"};
  return {};
}

Result<void> check_verdict(const storage::Verdict& verdict) {
  if (!is_word(verdict.reason) || !is_word(verdict.rule)) return Error{"a verdict in an unknown format"};
  return {};
}

Result<void> check_snapshot(const storage::Snapshot& snapshot) {
  const Result<void> verdict = check_verdict(snapshot.verdict);
  if (verdict.has_error()) return verdict.error();
  const auto is_redirect = [](const storage::Redirect& hop) {
    return is_status(hop.status) && is_shown_address(hop.from);
  };
  const auto is_attempt = [](const storage::Attempt& attempt) {
    return is_status(attempt.status) && is_word(attempt.failure) &&
           (attempt.url.empty() || is_shown_address(attempt.url));
  };
  const bool is_good = is_status(snapshot.status) &&
                       (snapshot.final_url.empty() || is_shown_address(snapshot.final_url)) &&
                       snapshot.redirects.size() <= max_hops && std::ranges::all_of(snapshot.redirects, is_redirect) &&
                       snapshot.attempts.size() <= max_hops && std::ranges::all_of(snapshot.attempts, is_attempt) &&
                       (snapshot.body_digest.empty() || is_hex_digest(snapshot.body_digest)) &&
                       !parser::has_ascii_control(snapshot.remote_address);
  if (!is_good) return Error{"an invalid response"};
  return {};
}

Result<void> check_host(const storage::HostState& host) {
  const bool is_good = is_web_origin(host.origin) && host.robots.size() <= max_robots_bytes &&
                       (!host.unresponsive || host.unresponsive->strikes <= max_strikes) &&
                       (!host.probe || (is_status(host.probe->status) &&
                                        (host.probe->final_url.empty() || is_shown_address(host.probe->final_url))));
  if (!is_good) return Error{"the state of an invalid host"};
  return {};
}

bool has_too_many_parts(MessageKind kind, std::string_view bytes) {
  std::uint64_t left = max_parts;
  return !count_parts(part_of(kind), bytes, left);
}

}  // namespace linkherd::crawler
