// Fills in the pages of tests/end_to_end/pages, and others by their path from there: HTML in the shape of real sites
// with {{names}} to replace.
#pragma once

#include <map>
#include <string>

namespace linkherd::tests {

// Throws where the file is missing, or asks for a name that is not among the values.
std::string filled_template(const std::string& name, const std::map<std::string, std::string>& values);

// UTF-8 in another charset, by its IANA name, for pages of an older web.
std::string encoded(const std::string& utf8, const std::string& charset);

}  // namespace linkherd::tests
