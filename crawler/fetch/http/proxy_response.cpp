#include "crawler/fetch/http/proxy_response.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

constexpr std::string_view squid_header = "x-squid-error";  // "ERR_DNS_FAIL 0", "302 Access Denied"
constexpr int login_status = 407;
constexpr std::size_t max_shown_location = 200;
constexpr std::size_t max_shown_error = 60;

// Returns the name of Squid's error, from the header or from the page that older versions and derivatives send. Empty
// if there is none.
std::string squid_error(const std::vector<storage::ResponseHeader>& headers, std::string_view body) {
  constexpr std::size_t searched = std::size_t{8} << 10;
  const std::string_view header = find_header(headers, squid_header);
  if (parser::contains_ignoring_case(header, "access denied")) return "ERR_ACCESS_DENIED";
  if (!header.empty()) return std::string(header.substr(0, header.find(' ')));
  constexpr std::string_view page = R"(<body id="ERR_)";
  body = body.substr(0, searched);
  std::size_t at = body.find(page);
  if (at == std::string_view::npos) at = body.find(R"(<body id=ERR_)");
  if (at == std::string_view::npos) return {};
  body.remove_prefix(body.find("ERR_", at));
  const auto is_name = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || parser::is_ascii_digit(c); };
  return {body.begin(), std::ranges::find_if_not(body, is_name)};
}

// Reads Proxy-Status (RFC 9209): "proxy.example; error=dns_error; details=…". The last of several members comes from
// the nearest proxy.
std::string proxy_status_error(const std::vector<storage::ResponseHeader>& headers) {
  constexpr std::string_view parameter = "error=";
  std::string_view header = find_header(headers, "proxy-status");
  header.remove_prefix(header.rfind(',') + 1);  // npos + 1 is 0
  const std::size_t at = header.find(parameter);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + parameter.size());
  return std::string(parser::trim_ascii(header.substr(0, header.find(';'))));
}

bool is_policy(std::string_view error) {
  return error.find("ACCESS_DENIED") != std::string_view::npos || error == "ERR_SECURE_ACCEPT_FAIL" ||
         error == "http_request_denied" || error == "destination_ip_prohibited";
}

// Returns true if the status means that the proxy denies access, rather than fails. 511 comes from a network that
// requires a login.
bool is_refusal_status(int status) { return status == 401 || status == 403 || status == 451 || status == 511; }

ProxyFailure failure_by(int status, const std::string& error) {
  ProxyFailure failure;
  failure.message = fmt::format("answers HTTP {}", status);
  if (!error.empty()) failure.message += fmt::format(" ({})", std::string_view(error).substr(0, max_shown_error));
  if (status == login_status) {
    failure.failure = FailureKind::proxy_login;
    failure.message = "requires a different login (HTTP 407)";
  } else if (is_refusal_status(status) || is_policy(error)) {
    failure.failure = FailureKind::proxy_refused;
  }
  return failure;
}

struct SocksReply {
  CURLproxycode code;
  FailureKind failure;
  std::string_view message;
};

constexpr std::array socks_replies{
    SocksReply{CURLPX_REPLY_GENERAL_SERVER_FAILURE, FailureKind::proxy_failed, "cannot connect: general failure"},
    SocksReply{CURLPX_REPLY_NOT_ALLOWED, FailureKind::proxy_refused, "does not allow this connection"},
    SocksReply{CURLPX_REPLY_NETWORK_UNREACHABLE, FailureKind::proxy_failed, "cannot connect: network unreachable"},
    SocksReply{CURLPX_REPLY_HOST_UNREACHABLE, FailureKind::proxy_failed, "cannot connect: host unreachable"},
    SocksReply{CURLPX_REPLY_CONNECTION_REFUSED, FailureKind::proxy_failed, "cannot connect: connection refused"},
    SocksReply{CURLPX_REPLY_TTL_EXPIRED, FailureKind::proxy_failed, "cannot connect: TTL expired"},
    SocksReply{CURLPX_REPLY_COMMAND_NOT_SUPPORTED, FailureKind::proxy_failed, "cannot connect: command not supported"},
    SocksReply{CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, FailureKind::proxy_failed,
               "cannot connect: address type not supported"},
    SocksReply{CURLPX_REPLY_UNASSIGNED, FailureKind::proxy_failed, "cannot connect: unknown reply code"},
    SocksReply{CURLPX_REQUEST_FAILED, FailureKind::proxy_failed, "cannot connect: rejected or failed"},
    SocksReply{CURLPX_RESOLVE_HOST, FailureKind::proxy_failed,
               "was not used, because there is no address that it supports"},
    SocksReply{CURLPX_LONG_HOSTNAME, FailureKind::proxy_failed, "cannot handle a host name this long"},
    SocksReply{CURLPX_NO_AUTH, FailureKind::proxy_login, "requires a different login"},
    SocksReply{CURLPX_USER_REJECTED, FailureKind::proxy_login, "requires a different login"},
    SocksReply{CURLPX_IDENTD, FailureKind::proxy_login, "requires a different login (identd)"},
    SocksReply{CURLPX_IDENTD_DIFFER, FailureKind::proxy_login, "requires a different login (identd)"},
    SocksReply{CURLPX_BAD_VERSION, FailureKind::proxy_unreachable, "does not support this version of SOCKS"},
    SocksReply{CURLPX_UNKNOWN_MODE, FailureKind::proxy_unreachable, "does not support this version of SOCKS"},
};

}  // namespace

ProxyFailure read_connect_response(int status, const std::vector<storage::ResponseHeader>& headers) {
  std::string error = squid_error(headers, {});
  if (error.empty()) error = proxy_status_error(headers);
  ProxyFailure failure = failure_by(status, error);
  const std::string_view location = find_header(headers, "location");
  if (!location.empty()) failure.message += fmt::format(" to {}", location.substr(0, max_shown_location));
  return failure;
}

ProxyFailure read_socks_reply(CURLproxycode code) {
  const auto* row = std::ranges::find(socks_replies, code, &SocksReply::code);
  if (row == socks_replies.end())
    return {FailureKind::proxy_unreachable, "ended the connection in the SOCKS handshake"};
  return {row->failure, std::string(row->message)};
}

std::optional<ProxyFailure> read_relayed_response(int status, const std::vector<storage::ResponseHeader>& headers,
                                                  std::string_view body) {
  if (status == login_status) return failure_by(status, {});
  if (status < 300) return std::nullopt;
  std::string error = squid_error(headers, status >= 400 ? body : std::string_view());
  // Servers beyond the proxy, such as a CDN, also send this header. Their 404 is a response of the site.
  if (error.empty() && status >= 500) error = proxy_status_error(headers);
  if (error.empty()) return std::nullopt;
  return failure_by(status, error);
}

}  // namespace linkherd::crawler
