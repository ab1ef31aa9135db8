// The pages of tests/end_to_end/pages: HTML in the shape of real sites, with {{names}} to be filled in.
#pragma once

#include <map>
#include <string>

namespace linkherd::tests {

// Throws where the file is missing, or asks for a name that is not among the values.
std::string filled_template(const std::string& name, const std::map<std::string, std::string>& values);

// UTF-8 to GBK, for pages of an older web.
std::string to_gbk(const std::string& utf8);

}  // namespace linkherd::tests
