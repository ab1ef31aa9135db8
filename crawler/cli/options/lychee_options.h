// Hints for options and settings of lychee (0.24 and earlier) that linkherd does not have under the same name. Users of
// lychee try the names they know.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::crawler {

// `option`: "--accept" or "-a". Returns what to use instead, or nullopt if lychee has no such option.
std::optional<std::string> lychee_option_hint(std::string_view option);

// `value`: for example "compact" of --format.
std::optional<std::string> lychee_value_hint(std::string_view value);

// `key`: for example "concurrency" in [hosts."example.com"].
std::optional<std::string> lychee_host_setting_hint(std::string_view key);

}  // namespace linkherd::crawler
