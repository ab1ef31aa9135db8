// Where a redirect leads: a pure reading of Location, or of a page that redirects by itself, against the URL that
// answered with it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "parser/html/page_redirect.h"
#include "parser/result.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct HopAnswer;

// Of any scheme; the fragment of `from` is inherited where Location has none; the error says what is wrong with it.
Result<parser::Url> redirect_target(const parser::Url& from, std::string_view location);

// Whether following `to` would ask again what this chain has asked already, from its redirect number `first` on.
bool closes_loop(const std::vector<storage::Redirect>& chain, const parser::Url& to, std::size_t first = 0);

// Returns where the page of an answer from `url` sends a browser by itself. Reads short pages only, because it runs
// where transfers wait for it. Undoes the content coding of the body if that takes next to no time; `max_body`: see
// decode_content().
std::optional<parser::PageRedirect> page_redirect(HopAnswer& answer, const parser::Url& url, std::size_t max_body);

// Returns true if a page that leads from `url` to `to` only reloads itself in other words: a page of this chain that
// redirected by itself has done so before, on the same path. Bot walls do it with a new token each time.
bool repeats_reload(const std::vector<storage::Redirect>& chain, const parser::Url& url, const parser::Url& to);

}  // namespace linkherd::crawler
