// Which parameters of a query only say where a visitor came from. Own table: a name is listed only where leaving it out
// is known to lead to the same page.
#pragma once

#include <string_view>

namespace linkherd::parser {

// `host` as Url::host() gives it, `name` percent-decoded.
bool is_tracking_parameter(std::string_view host, std::string_view name);

}  // namespace linkherd::parser
