#include "crawler/fetch/net/permitted_target.h"

namespace linkherd::crawler {

PermittedTarget find_permitted_target(const std::vector<ConnectRule>& rules, const AddressPolicy& policy,
                                      std::string_view host, std::uint16_t port) {
  PermittedTarget permitted{find_connect_target(rules, host, port)};
  const auto literal = IpAddress::parse(host);
  // A rule for any host must not make a private address in a link reachable.
  if (literal && !policy.allows(*literal) && !permitted.target.has_host) permitted.refused_literal = literal;
  permitted.may_be_private = policy.all || (permitted.target.has_address && !permitted.refused_literal);
  return permitted;
}

std::optional<IpAddress> remove_refused(const PermittedTarget& target, const AddressPolicy& policy,
                                        std::vector<IpAddress>& addresses) {
  if (target.may_be_private || addresses.empty()) return std::nullopt;
  if (target.refused_literal) addresses = {*target.refused_literal};
  const IpAddress first = addresses.front();
  std::erase_if(addresses, [&policy](const IpAddress& address) { return !policy.allows(address); });
  return addresses.empty() ? std::optional(first) : std::nullopt;
}

}  // namespace linkherd::crawler
