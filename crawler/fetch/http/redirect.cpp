#include "crawler/fetch/http/redirect.h"

#include <algorithm>
#include <string>

namespace linkherd::crawler {

namespace {

std::string_view without_fragment(std::string_view href) { return href.substr(0, href.find('#')); }

}  // namespace

Result<parser::Url> redirect_target(const parser::Url& from, std::string_view location) {
  if (location.empty()) return Error{"a redirect without Location"};
  Result<parser::Url> to = parser::Url::parse(location, from);
  if (!to) return Error{"a redirect to what is no URL: " + to.error().message};
  if (to->has_fragment() || !from.has_fragment() || !to->is_http()) return to;
  return parser::Url::parse(std::string(to->href()) + "#" + std::string(from.fragment()));
}

bool closes_loop(const std::vector<storage::Redirect>& chain, const parser::Url& to, std::size_t first) {
  const auto begin = chain.begin() + static_cast<std::ptrdiff_t>(std::min(first, chain.size()));
  return std::any_of(begin, chain.end(), [&to](const storage::Redirect& hop) {
    return without_fragment(hop.from) == to.href_without_fragment();
  });
}

}  // namespace linkherd::crawler
