// The options and settings of lychee (0.24 and earlier) that linkherd does not have under the same name, each with what
// to use instead: lychee's users find their way by trying what they know.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::crawler {

// `option`: "--accept", "-a". Returns what to use instead, if it is such an option of lychee.
std::optional<std::string> hint_for_option_of_lychee(std::string_view option);

// `value`: "compact" of --format.
std::optional<std::string> hint_for_value_of_lychee(std::string_view value);

// `key`: "concurrency" in [hosts."example.com"].
std::optional<std::string> hint_for_host_setting_of_lychee(std::string_view key);

}  // namespace linkherd::crawler
