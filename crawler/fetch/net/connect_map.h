// Where to connect for a host and port, as --connect-to says (curl's HOST:PORT:ADDR:PORT). Names and certificates stay
// those of the URL; only the way there changes.
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
  bool moved = false;        // other than the URL's
  bool has_address = false;  // the rule names the address: the user wants this place, private or not
  bool has_host = false;     // the rule is for this host, not for any
};

class ConnectMap {
 public:
  // An empty HOST or PORT, or `*`, matches anything; an empty ADDR or second PORT keeps what the URL says.
  static Result<ConnectMap> parse(const std::vector<std::string>& rules);

  // By the first rule that matches; without one, where the URL says.
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
