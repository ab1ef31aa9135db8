// Maps a host and port to another connection target, as --connect-to specifies (curl's HOST:PORT:ADDR:PORT). Host names
// and certificates remain those of the URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"

namespace linkherd::crawler {

struct ConnectTarget {
  std::string host;  // as in a URL: IPv6 in brackets
  std::uint16_t port = 0;
  bool moved = false;        // differs from the URL
  bool has_address = false;  // the rule names an address, so the user permits it even if it is private
  bool has_host = false;     // the rule is for this host, not for any host
};

// A rule of --connect-to.
struct ConnectRule {
  std::string host;  // empty: any
  std::optional<std::uint16_t> port;
  std::string to_host;                   // empty: as in the URL
  std::optional<std::uint16_t> to_port;  // likewise
};

// An empty HOST or PORT, or `*`, matches anything. An empty ADDR or second PORT keeps the value of the URL.
Result<std::vector<ConnectRule>> parse_connect_rules(const std::vector<std::string>& texts);

// Applies the first matching rule. Without one, returns the host and port of the URL.
ConnectTarget find_connect_target(const std::vector<ConnectRule>& rules, std::string_view host, std::uint16_t port);

}  // namespace linkherd::crawler
