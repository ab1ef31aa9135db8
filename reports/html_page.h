// The constant parts of the html report, built in from html/: the page with placeholders in braces, its style sheets,
// and its scripts joined into one.
#pragma once

#include <string_view>

namespace linkherd::reports {

std::string_view html_page();
std::string_view html_style();
std::string_view html_script();

}  // namespace linkherd::reports
