#include "crawler/broker/broker_address.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

#include "crawler/broker/amqp_headers.h"
#include "parser/ascii.h"

namespace linkherd::crawler {
namespace {

bool has_bad_encoding(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || parser::hex_value(text[at + 1]) < 0 || parser::hex_value(text[at + 2]) < 0)
      return true;
  }
  return false;
}

// `login`: "USER:PASSWORD".
std::optional<Error> fault_of_login(std::string_view login) {
  if (login.empty() || login.starts_with(':')) return Error{"the user is missing: write USER:PASSWORD before the @"};
  if (login.find(':') == std::string_view::npos)
    return Error{"the password is missing: write USER:PASSWORD before the @"};
  if (std::ranges::count(login, ':') > 1 || login.find('@') != std::string_view::npos)
    return Error{"write a : in the user or the password as %3a, and an @ as %40"};
  return std::nullopt;
}

// `authority`: "HOST:PORT".
std::optional<Error> check_authority(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (authority.substr(0, colon).empty()) return Error{"the host is missing: write HOST or HOST:PORT after the @"};
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view port = authority.substr(colon + 1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > UINT16_MAX)
    return Error{"the port of a broker must be a whole number from 1 to 65535"};
  return std::nullopt;
}

std::optional<Error> fault_of_virtual_host(std::string_view name) {
  if (name.empty()) {
    return Error{
        "the trailing slash means a virtual host with an empty name: omit it for the default virtual host, or write "
        "/%2f"};
  }
  if (name.find('/') != std::string_view::npos)
    return Error{"write a slash in the name of a virtual host as %2f: amqp://HOST/%2fNAME for \"/NAME\""};
  return std::nullopt;
}

// Returns what is wrong with the part after the scheme, or nullopt if no problem is found.
std::optional<Error> fault_of(std::string_view rest) {
  if (std::ranges::any_of(rest, [](char c) { return c == ' ' || parser::is_ascii_control(c); }))
    return Error{"a broker address cannot contain spaces: write them as %20"};
  if (has_bad_encoding(rest)) return Error{"a % must be followed by two hexadecimal digits: write a literal % as %25"};
  if (rest.find_first_of("?#") != std::string_view::npos)
    return Error{"options after ? or # are not supported: in a name, write these characters as %3f and %23"};
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    if (std::optional<Error> fault = fault_of_login(authority.substr(0, at))) return fault;
  }
  if (std::optional<Error> fault = check_authority(authority.substr(at == std::string_view::npos ? 0 : at + 1)))
    return fault;
  if (slash == std::string_view::npos) return std::nullopt;
  return fault_of_virtual_host(rest.substr(slash + 1));
}

}  // namespace

Result<BrokerAddress> BrokerAddress::parse(const std::string& url) {
  const std::size_t mark = std::min(url.find("://"), url.size());
  std::string scheme = parser::to_ascii_lower(std::string_view(url).substr(0, mark));
  if (mark == url.size() || (scheme != "amqp" && scheme != "amqps"))
    return Error{"a broker address must begin with amqp:// or, for TLS, amqps://"};
  const std::string_view rest = std::string_view(url).substr(mark);
  if (std::optional<Error> fault = fault_of(rest.substr(3))) return *fault;
  std::string text = scheme.append(rest);  // parsed in place by librabbitmq
  amqp_connection_info info{};
  amqp_default_connection_info(&info);
  if (amqp_parse_url(text.data(), &info) != AMQP_STATUS_OK || std::string_view(info.host).empty())
    return Error{"this is not a broker address such as amqps://broker.example:5671/links"};
  BrokerAddress address;
  address.host = info.host;
  address.port = static_cast<std::uint16_t>(info.port);
  address.virtual_host = info.vhost;
  address.user = info.user;
  address.password = info.password;
  address.tls = info.ssl != 0;
  return address;
}

}  // namespace linkherd::crawler
