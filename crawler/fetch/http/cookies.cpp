#include "crawler/fetch/http/cookies.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

#include <curl/curl.h>
#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/host.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_cookie_bytes = 4096;
constexpr std::size_t max_cookies = 50;
constexpr std::size_t max_cookies_bytes = std::size_t{16} << 10;
constexpr long long farthest_second = 253'402'300'799;  // the end of the year 9999

bool is_clean(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f'; });
}

bool path_matches(std::string_view path, std::string_view cookie_path) {
  if (!path.starts_with(cookie_path)) return false;
  return path.size() == cookie_path.size() || cookie_path.ends_with('/') || path[cookie_path.size()] == '/';
}

// The default path (RFC 6265, 5.1.4).
std::string default_path(const parser::Url& url) {
  const std::string_view path = url.path();
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? "/" : std::string(path.substr(0, slash));
}

Timestamp at_second(long long seconds) {
  return Timestamp(std::chrono::seconds(std::clamp(seconds, 0LL, farthest_second)));
}

std::optional<Timestamp> read_max_age(std::string_view value, Timestamp now) {
  long long seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error == std::errc::result_out_of_range) seconds = value.starts_with('-') ? 0 : farthest_second;
  if (error == std::errc::invalid_argument || end != value.data() + value.size()) return std::nullopt;
  if (seconds <= 0) return Timestamp();
  return at_second(seconds + std::min(farthest_second - seconds,
                                      static_cast<long long>(
                                          std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count())));
}

// Returns false if the attribute makes the cookie unusable.
bool apply_attribute(Cookie& cookie, const parser::Url& from, std::string_view name, std::string_view value,
                     Timestamp now, bool& has_max_age) {
  if (parser::equals_ignoring_case(name, "secure")) {
    cookie.secure = true;
  } else if (parser::equals_ignoring_case(name, "path")) {
    if (value.starts_with('/')) cookie.path = value;
  } else if (parser::equals_ignoring_case(name, "max-age")) {
    if (const auto expires = read_max_age(value, now)) {
      cookie.expires = expires;
      has_max_age = true;
    }
  } else if (parser::equals_ignoring_case(name, "expires") && !has_max_age) {
    const std::time_t date = curl_getdate(std::string(value).c_str(), nullptr);
    if (date != -1) cookie.expires = at_second(date);
  } else if (parser::equals_ignoring_case(name, "domain") && !value.empty()) {
    const std::string domain = parser::to_ascii_lower(value.starts_with('.') ? value.substr(1) : value);
    if (domain == from.host()) {
      cookie.is_host_only = cookie.is_host_only && from.host_kind() != parser::HostKind::domain;
    } else if (from.host_kind() != parser::HostKind::domain || !parser::is_within_domain(from.host(), domain) ||
               domain.size() < parser::registrable_domain(from).size()) {
      return false;  // another site, or a public suffix
    } else {
      cookie.domain = domain;
      cookie.is_host_only = false;
    }
  }
  return true;
}

}  // namespace

std::optional<Cookie> parse_set_cookie(const parser::Url& from, std::string_view header, Timestamp now) {
  if (header.size() > max_cookie_bytes || !is_clean(header)) return std::nullopt;
  const std::size_t end = std::min(header.find(';'), header.size());
  const std::string_view pair = header.substr(0, end);
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  Cookie cookie;
  cookie.name = parser::trim_ascii(pair.substr(0, equals));
  cookie.value = parser::trim_ascii(pair.substr(equals + 1));
  cookie.domain = from.host();
  cookie.path = default_path(from);
  if (cookie.name.empty()) return std::nullopt;
  bool has_max_age = false;
  for (std::size_t at = end; at < header.size();) {
    const std::size_t next = std::min(header.find(';', at + 1), header.size());
    const std::string_view attribute = header.substr(at + 1, next - at - 1);
    const std::size_t sign = std::min(attribute.find('='), attribute.size());
    const std::string_view value = sign < attribute.size() ? attribute.substr(sign + 1) : std::string_view();
    if (!apply_attribute(cookie, from, parser::trim_ascii(attribute.substr(0, sign)), parser::trim_ascii(value), now,
                         has_max_age)) {
      return std::nullopt;
    }
    at = next;
  }
  if (cookie.secure && from.scheme() != "https") return std::nullopt;
  return cookie;
}

void keep_cookie(std::vector<Cookie>& cookies, Cookie cookie, Timestamp now) {
  std::erase_if(cookies, [&cookie](const Cookie& old) {
    return old.name == cookie.name && old.domain == cookie.domain && old.path == cookie.path;
  });
  if (cookie.expires && *cookie.expires <= now) return;
  std::size_t bytes = cookie.name.size() + cookie.value.size();
  for (const Cookie& old : cookies) bytes += old.name.size() + old.value.size();
  if (cookies.size() < max_cookies && bytes <= max_cookies_bytes) cookies.push_back(std::move(cookie));
}

std::string cookies_for(const std::vector<Cookie>& cookies, const parser::Url& url, Timestamp now) {
  std::string header;
  for (const Cookie& cookie : cookies) {
    const bool for_host =
        cookie.is_host_only ? url.host() == cookie.domain : parser::is_within_domain(url.host(), cookie.domain);
    if (!for_host || !path_matches(url.path(), cookie.path)) continue;
    if ((cookie.secure && url.scheme() != "https") || (cookie.expires && *cookie.expires <= now)) continue;
    if (!header.empty()) header += "; ";
    header.append(cookie.name).append("=").append(cookie.value);
  }
  return header;
}

Result<std::vector<Cookie>> parse_cookie_file(std::string_view text) {
  constexpr std::string_view http_only = "#HttpOnly_";
  std::vector<Cookie> cookies;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(http_only)) line.remove_prefix(http_only.size());
    if (parser::trim_ascii(line).empty() || line.starts_with('#')) continue;
    std::vector<std::string_view> columns;
    for (std::size_t at = 0; at <= line.size() && columns.size() < 7;) {
      const std::size_t tab = columns.size() == 6 ? line.size() : std::min(line.find('\t', at), line.size());
      columns.push_back(line.substr(at, tab - at));
      at = tab + 1;
    }
    long long expires = 0;
    if (columns.size() == 6) columns.emplace_back();  // an empty value at the end of the line
    if (columns.size() != 7 || !is_clean(line) ||
        std::from_chars(columns[4].data(), columns[4].data() + columns[4].size(), expires).ec != std::errc()) {
      return Error{fmt::format("line {} is not a cookie: it must have seven columns separated by tabs", number)};
    }
    const std::string_view domain = columns[0].starts_with('.') ? columns[0].substr(1) : columns[0];
    Cookie cookie{.name = std::string(columns[5]),
                  .value = std::string(columns[6]),
                  .domain = parser::to_ascii_lower(domain),
                  .path = std::string(columns[2]),
                  .is_host_only = !parser::equals_ignoring_case(columns[1], "true"),
                  .secure = parser::equals_ignoring_case(columns[3], "true"),
                  .expires = std::nullopt};
    if (expires > 0) cookie.expires = at_second(expires);
    cookies.push_back(std::move(cookie));
  }
  return cookies;
}

}  // namespace linkherd::crawler
