// Options that people bring from lychee and that linkherd does not have: each is refused by name, with what to use
// instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::crawler {

// The refusal of `argument`, as one line, where it is such an option.
std::optional<std::string> refuse_lychee_option(std::string_view argument);

}  // namespace linkherd::crawler
