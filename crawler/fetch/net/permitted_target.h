// Decides where a request may go: the rules of --connect-to and the address policy together.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connect_rules.h"

namespace linkherd::crawler {

struct PermittedTarget {
  ConnectTarget target;
  bool may_be_private = false;                 // the user named the target, so any address is permitted
  std::optional<IpAddress> refused_literal{};  // the URL names this address, which the policy does not allow
};

PermittedTarget find_permitted_target(const std::vector<ConnectRule>& rules, const AddressPolicy& policy,
                                      std::string_view host, std::uint16_t port);

// Removes the addresses of a target that must not be contacted. If none is left, returns one of them for a message.
std::optional<IpAddress> remove_refused(const PermittedTarget& target, const AddressPolicy& policy,
                                        std::vector<IpAddress>& addresses);

}  // namespace linkherd::crawler
