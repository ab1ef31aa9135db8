#include "crawler/fetch/net/connect_rules.h"

#include <charconv>

#include "crawler/fetch/net/address_policy.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

// Splits at the colons that are not inside brackets.
std::vector<std::string_view> split_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool bracketed = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ':' && !bracketed)) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      bracketed = text[i] == '[';
    }
  }
  return parts;
}

bool read_port(std::string_view text, std::optional<std::uint16_t>& port) {
  if (text.empty() || text == "*") return true;
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return false;
  port = number;
  return true;
}

Result<ConnectRule> parse_connect_rule(std::string_view text) {
  const std::vector<std::string_view> parts = split_parts(text);
  ConnectRule rule;
  if (parts.size() != 4 || !read_port(parts[1], rule.port) || !read_port(parts[3], rule.to_port)) {
    return Error{"\"" + std::string(text) + "\" is not HOST:PORT:ADDR:PORT"};
  }
  if (parts[0] != "*") rule.host = parser::to_ascii_lower(parts[0]);
  rule.to_host = parser::to_ascii_lower(parts[2]);
  if (const auto address = IpAddress::parse(rule.to_host)) rule.to_host = address->in_url();
  return rule;
}

}  // namespace

Result<std::vector<ConnectRule>> parse_connect_rules(const std::vector<std::string>& texts) {
  std::vector<ConnectRule> rules;
  for (const std::string& text : texts) {
    Result<ConnectRule> rule = parse_connect_rule(text);
    if (!rule) return rule.error();
    rules.push_back(std::move(*rule));
  }
  return rules;
}

ConnectTarget find_connect_target(const std::vector<ConnectRule>& rules, std::string_view host, std::uint16_t port) {
  for (const ConnectRule& rule : rules) {
    if (!rule.host.empty() && rule.host != host) continue;
    if (rule.port && *rule.port != port) continue;
    ConnectTarget target;
    target.host = rule.to_host.empty() ? std::string(host) : rule.to_host;
    target.port = rule.to_port.value_or(port);
    target.moved = target.host != host || target.port != port;
    target.has_address = !rule.to_host.empty();
    target.has_host = !rule.host.empty();
    return target;
  }
  return {.host = std::string(host), .port = port};
}

}  // namespace linkherd::crawler
