// The files with certificates that the user names: looked at once, before anything is fetched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/result.h"

namespace linkherd::crawler {

// What is wrong with the two PEM files, in one line: not there, no certificate, no key, a key with a password, or not
// the certificate's key. `key` may be empty: then it is in the same file.
std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key);

// What is wrong with the text of a file of certificate authorities: there is no certificate in it, or a broken one.
std::optional<Error> find_authorities_fault(std::string_view pem);

}  // namespace linkherd::crawler
