#include "crawler/fetch/fetch_options.h"

#include <string_view>

namespace linkherd::crawler {

std::string default_user_agent() {
  constexpr std::string_view homepage = LINKHERD_HOMEPAGE;  // of the CMake project; a fork names its own
  std::string agent = "linkherd/" LINKHERD_VERSION;
  if (!homepage.empty()) agent.append(" (+").append(homepage).append(")");
  return agent;
}

}  // namespace linkherd::crawler
