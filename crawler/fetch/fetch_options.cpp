#include "crawler/fetch/fetch_options.h"

#include <string_view>

namespace linkherd::crawler {

std::string default_user_agent() {
  // The homepage of the CMake project. A fork names its own.
  constexpr std::string_view homepage = LINKHERD_HOMEPAGE;  // NOLINT(readability-redundant-string-init): may be empty
  std::string agent = "linkherd/" LINKHERD_VERSION;
  if (!homepage.empty()) agent.append(" (+").append(homepage).append(")");
  return agent;
}

}  // namespace linkherd::crawler
