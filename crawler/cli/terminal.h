// What the terminal can show.
#pragma once

#include <cstddef>

namespace linkherd::crawler {

std::size_t terminal_columns(int descriptor);  // 0: it is no terminal, or does not say

// The NO_COLOR convention (https://no-color.org): any non-empty value. Also TERM=dumb, which knows no escape sequences.
bool no_color_wanted();

// TERM=dumb: a line cannot be written again in its place.
bool is_dumb_terminal();

// Whether the terminal is known to show OSC 8 hyperlinks: others may print them as text. FORCE_HYPERLINK=1 in the
// environment says that it does, and 0 that it does not.
bool terminal_has_hyperlinks();

}  // namespace linkherd::crawler
