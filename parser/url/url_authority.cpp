// The authority states of the parser: credentials, host and port.
#include <fmt/format.h>

#include "parser/url/percent_encoding.h"
#include "parser/url/url_parser.h"

namespace linkherd::parser {
namespace {

// Where the host ends: the first ":" that is not inside of brackets, or the end.
std::size_t end_of_host(std::string_view host_and_port) {
  bool inside_brackets = false;
  for (std::size_t i = 0; i < host_and_port.size(); ++i) {
    const char c = host_and_port[i];
    if (c == '[') inside_brackets = true;
    if (c == ']') inside_brackets = false;
    if (c == ':' && !inside_brackets) return i;
  }
  return host_and_port.size();
}

}  // namespace

// "authority state", "host state" and "port state".
UrlBuilder::State UrlBuilder::authority() {
  std::string_view text = take_until(special_ ? "/\\?#" : "/?#");
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    note(UrlNote::credentials);
    credentials(text.substr(0, at));
    text.remove_prefix(at + 1);
    if (text.empty()) return fail("there is no host behind the \"@\"");
  }
  return host_and_port(text) ? State::path_start : State::failed;
}

void UrlBuilder::credentials(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (has_invalid_url_unit(text)) note(UrlNote::invalid_code_point);
  append_percent_encoded(username_, text.substr(0, colon), userinfo_encode_set);
  if (colon != std::string_view::npos) {
    append_percent_encoded(password_, text.substr(colon + 1), userinfo_encode_set);
  }
}

bool UrlBuilder::host_and_port(std::string_view text) {
  const std::size_t end = end_of_host(text);
  if (end == 0 && (special_ || !text.empty())) {
    fail("there is no host");
    return false;
  }
  auto host = parse_host(text.substr(0, end), special_);
  if (!host) {
    fail(host.error().message);
    return false;
  }
  host_ = std::move(*host);
  notes_ = notes_ | host_->notes;
  return end == text.size() || port(text.substr(end + 1));
}

bool UrlBuilder::port(std::string_view text) {
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      fail("the port is not a number");
      return false;
    }
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > 65535) {
      fail("the port is greater than 65535");
      return false;
    }
  }
  const bool is_default = special_ && value == default_port(scheme_);
  if (!text.empty() && !is_default) port_ = static_cast<std::uint16_t>(value);
  return true;
}

void UrlBuilder::copy_authority() {
  username_ = base_->username();
  password_ = base_->password();
  host_.reset();
  if (base_->host_kind() != HostKind::none) host_ = ParsedHost{std::string(base_->host()), base_->host_kind()};
  port_ = base_->port();
}

}  // namespace linkherd::parser
