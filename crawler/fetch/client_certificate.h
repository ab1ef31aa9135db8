// The certificate that the user shows to servers which ask for one: looked at once, before anything is fetched.
#pragma once

#include <optional>
#include <string>

#include "parser/result.h"

namespace linkherd::crawler {

// What is wrong with the two PEM files, in one line: not there, no certificate, no key, a key with a password, or not
// the certificate's key. `key` may be empty: then it is in the same file.
std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key);

}  // namespace linkherd::crawler
