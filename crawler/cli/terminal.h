// Queries the capabilities of the terminal.
#pragma once

#include <cstddef>

namespace linkherd::crawler {

std::size_t terminal_columns(int descriptor);  // 0: not a terminal, or unknown

// Follows the NO_COLOR convention (https://no-color.org): any non-empty value disables color. So does TERM=dumb, which
// supports no escape sequences.
bool no_color_wanted();

// Returns true for TERM=dumb, on which a line cannot be overwritten.
bool is_dumb_terminal();

// Returns true if the terminal is known to support OSC 8 hyperlinks; others may print them as text. FORCE_HYPERLINK=1
// in the environment forces true, and 0 forces false.
bool terminal_has_hyperlinks();

}  // namespace linkherd::crawler
