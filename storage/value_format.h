// The format of stored values: one version byte and a payload. The payload is a message of stored_values.proto; in the
// family `body`, it is the page. Reading never throws on untrusted bytes. Example: an empty Link is the single byte 01.
#pragma once

#include <string_view>

#include "parser/result.h"

namespace linkherd::storage {

inline constexpr char value_version = 1;

// Returns the payload, as a view into `stored`. Returns an Error if the version is unknown.
Result<std::string_view> after_version(std::string_view stored);

// Returns an error that says what is wrong with a value and what to do.
Error damaged_value(std::string_view how);

}  // namespace linkherd::storage
