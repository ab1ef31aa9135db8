// Decides whether documents may have the new address of a page instead of the old one. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::crawler {

// Returns an http or https URL without a login, or nullopt.
std::optional<parser::Url> web_address(std::string_view href);

// Returns the serialised new address of a page. Returns nullopt if it may be another page, such as a home page, a login
// page or an error page, or if documents should keep the old address, such as that of a DOI.
std::optional<std::string> usable_target(const parser::Url& from, std::string_view new_address);

}  // namespace linkherd::crawler
