// One cookie, as a server sets it (RFC 6265). A link under way carries those of its own chain of redirects.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::crawler {

struct Cookie {
  std::string name;
  std::string value;
  std::string domain;  // lower case, no leading dot
  std::string path;
  bool host_only = true;
  bool secure = false;
  std::optional<Timestamp> expires;

  bool operator==(const Cookie&) const = default;
};

}  // namespace linkherd::crawler
