// Determines the target of a redirect, from a Location header or from a page that redirects by itself. Pure rules,
// relative to the URL that sent the response.
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

struct AttemptResult;

// Returns the target, which may have any scheme. It inherits the fragment of `from` if Location has none. The error
// says what is wrong with Location.
Result<parser::Url> redirect_target(const parser::Url& from, std::string_view location);

// Returns true if following `to` would repeat a URL of this chain, from redirect index `first` on.
bool closes_loop(const std::vector<storage::Redirect>& chain, const parser::Url& to, std::size_t first = 0);

// Returns the URL to which the page of a response from `url` redirects a browser by itself. Reads short pages only,
// because transfers wait on the thread where it runs. Decodes the body only if that is almost free. For `max_body` see
// decode_content().
std::optional<parser::PageRedirect> page_redirect(AttemptResult& response, const parser::Url& url,
                                                  std::size_t max_body);

// Returns true if a page that redirects from `url` to `to` only reloads itself with another query. That is the case if
// a page of this chain has redirected by itself before, on the same path. Bot walls do this with a new token each time.
bool repeats_reload(const std::vector<storage::Redirect>& chain, const parser::Url& url, const parser::Url& to);

}  // namespace linkherd::crawler
