// Foreign text made safe for the place it is printed to.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::reports {

// For a terminal or a log: control characters (escape sequences among them) and bidirectional overrides shown as
// \u{1b}, tabs and line breaks as one space, ill-formed UTF-8 as U+FFFD. All other text comes out as it was. The result
// is one line, always.
std::string escape_for_terminal(std::string_view text);

}  // namespace linkherd::reports
