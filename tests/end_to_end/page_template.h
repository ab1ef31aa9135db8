// Fills the page templates of tests/end_to_end/pages, and others by their path relative to that folder. A template is
// HTML in the shape of a real site, with {{name}} placeholders.
#pragma once

#include <map>
#include <string>

namespace linkherd::tests {

// Throws if the file is missing or contains a placeholder without a value.
std::string filled_template(const std::string& name, const std::map<std::string, std::string>& values);

// Converts UTF-8 to another charset, given by its IANA name, for pages of the older web.
std::string encoded(const std::string& utf8, const std::string& charset);

}  // namespace linkherd::tests
