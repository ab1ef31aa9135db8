// The authority states of the parser: credentials, host and port.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/host.h"
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

constexpr ByteSet plain_domain_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("-_.");

// A domain that needs no more than lower case: letters, digits, "-", "_" and dots, and no address in any spelling.
bool is_plain_domain(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return plain_domain_characters.contains(c); }))
    return false;
  // Numbers begin with a digit, and only the last part decides; a dot behind it is looked through.
  const std::string_view name = text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  const std::size_t last = name.rfind('.') + 1;
  return last < name.size() && !is_ascii_digit(name[last]);
}

constexpr ByteSet ends_of_authority = ByteSet().with("/?#");
constexpr ByteSet ends_of_special_authority = ends_of_authority.with("\\");

}  // namespace

void UrlBuilder::start_authority() {
  url_.href_ += "//";
  url_.username_start_ = url_.username_end_ = url_.password_start_ = url_.password_end_ = size();
  url_.host_start_ = url_.host_end_ = url_.path_start_ = size();
  url_.host_kind_ = HostKind::empty;
}

// "authority state", "host state" and "port state".
UrlBuilder::State UrlBuilder::authority() {
  start_authority();
  std::string_view text = take_until(special_ ? ends_of_special_authority : ends_of_authority);
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
  append(text.substr(0, colon), userinfo_encode_set);
  url_.username_end_ = url_.password_start_ = url_.password_end_ = size();
  if (colon != std::string_view::npos && colon + 1 < text.size()) {
    url_.href_ += ':';
    url_.password_start_ = size();
    append(text.substr(colon + 1), userinfo_encode_set);
    url_.password_end_ = size();
  }
  if (url_.password_end_ > url_.username_start_) url_.href_ += '@';
}

bool UrlBuilder::host_and_port(std::string_view text) {
  const std::size_t end = end_of_host(text);
  if (end == 0 && (special_ || !text.empty())) {
    fail("there is no host");
    return false;
  }
  if (!host(text.substr(0, end))) return false;
  const bool fine = end == text.size() || port(text.substr(end + 1));
  url_.path_start_ = size();
  return fine;
}

bool UrlBuilder::host(std::string_view text) {
  url_.host_start_ = size();
  if (special_ && is_plain_domain(text)) {
    url_.href_ += text;
    std::transform(url_.href_.begin() + url_.host_start_, url_.href_.end(), url_.href_.begin() + url_.host_start_,
                   ascii_lower);
    url_.host_kind_ = HostKind::domain;
  } else {
    const Result<ParsedHost> parsed = parse_host(text, special_);
    if (!parsed) {
      fail(parsed.error().message);
      return false;
    }
    url_.href_ += parsed->text;
    url_.host_kind_ = parsed->kind;
    note(parsed->notes);
  }
  url_.host_end_ = url_.path_start_ = size();
  return true;
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
  const bool is_default = special_ && value == default_port(url_.scheme());
  if (text.empty() || is_default) return true;
  url_.port_ = static_cast<std::uint16_t>(value);
  fmt::format_to(std::back_inserter(url_.href_), ":{}", value);
  return true;
}

}  // namespace linkherd::parser
