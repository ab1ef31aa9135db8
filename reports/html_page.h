// The parts of the html report that are the same in every one, built in from html/: the page with the places of the
// others in braces, its style sheets, and its scripts as one.
#pragma once

#include <string_view>

namespace linkherd::reports {

std::string_view html_page();
std::string_view html_style();
std::string_view html_script();

}  // namespace linkherd::reports
