// Where a redirect leads: a pure reading of Location against the URL that answered with it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "parser/result.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Of any scheme; the fragment of `from` is inherited where Location has none; the error says what is wrong with it.
Result<parser::Url> redirect_target(const parser::Url& from, std::string_view location);

// Whether following `to` would ask again what this chain has asked already, from its redirect number `first` on.
bool closes_loop(const std::vector<storage::Redirect>& chain, const parser::Url& to, std::size_t first = 0);

}  // namespace linkherd::crawler
