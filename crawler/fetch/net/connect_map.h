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

class ConnectMap {
 public:
  // An empty HOST or PORT, or `*`, matches anything. An empty ADDR or second PORT keeps the value of the URL.
  static Result<ConnectMap> parse(const std::vector<std::string>& rules);

  // Applies the first matching rule. Without one, returns the host and port of the URL.
  ConnectTarget target(std::string_view host, std::uint16_t port) const;

 private:
  struct Rule {
    std::string host;  // empty: any
    std::optional<std::uint16_t> port;
    std::string to_host;
    std::optional<std::uint16_t> to_port;
  };
  static Result<Rule> parse_rule(std::string_view text);
  std::vector<Rule> rules_;
};

}  // namespace linkherd::crawler
