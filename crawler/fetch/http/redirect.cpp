#include "crawler/fetch/http/redirect.h"

#include <algorithm>
#include <string>
#include <utility>

#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/fetch_result.h"
#include "parser/html/charset.h"
#include "parser/metadata/page_headers.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

std::string_view without_fragment(std::string_view href) { return href.substr(0, href.find('#')); }

// Pages that only redirect have a few hundred bytes; some carry a style sheet.
constexpr std::size_t max_page_bytes = std::size_t{32} << 10;
constexpr std::size_t max_coded_bytes = std::size_t{4} << 10;

// Returns false if the body is too long or incomplete.
bool decode_short_body(AttemptResult& response, std::size_t max_body) {
  if (!response.is_body_complete()) return false;
  const std::string_view coding = response.header("content-encoding");
  if (response.is_body_decoded || coding.empty()) return response.body.size() <= max_page_bytes;
  if (response.body.size() > max_coded_bytes) return false;
  DecodedBody body = decode_body(coding, response.body, std::min(max_page_bytes, max_body));
  if (!body.complete) return false;
  response.body = std::move(body.bytes);
  response.is_body_decoded = true;
  response.lease.resize(response.body.size());
  return true;
}

bool is_on_same_path(const parser::Url& one, const parser::Url& other) {
  return one.origin() == other.origin() && one.path() == other.path();
}

}  // namespace

Result<parser::Url> redirect_target(const parser::Url& from, std::string_view location) {
  if (location.empty()) return Error{"a redirect without Location"};
  Result<parser::Url> to = parser::Url::parse(location, from);
  if (!to) return Error{"a redirect to an invalid URL: " + to.error().message};
  if (to->has_fragment() || !from.has_fragment() || !to->is_http()) return to;
  return parser::Url::parse(std::string(to->href()) + "#" + std::string(from.fragment()));
}

bool closes_loop(const std::vector<storage::Redirect>& chain, const parser::Url& to, std::size_t first) {
  const auto begin = chain.begin() + static_cast<std::ptrdiff_t>(std::min(first, chain.size()));
  return std::any_of(begin, chain.end(), [&to](const storage::Redirect& hop) {
    return without_fragment(hop.from) == to.href_without_fragment();
  });
}

std::optional<parser::PageRedirect> page_redirect(AttemptResult& response, const parser::Url& url,
                                                  std::size_t max_body) {
  const bool is_page = response.failure == FailureKind::none && response.status >= 200 && response.status <= 299;
  const std::string_view refresh = response.header("refresh");
  if (!is_page || response.body_state == BodyState::dropped || (response.body.empty() && refresh.empty()))
    return std::nullopt;
  parser::PageHeaders headers;
  parser::add_page_header("content-type", response.header("content-type"), headers);
  if (!response.body.empty() && !headers.content_type.empty() && !parser::is_html_type(headers.content_type))
    return std::nullopt;
  if (!response.body.empty() && !decode_short_body(response, max_body)) return std::nullopt;
  parser::add_page_header("link", response.header("link"), headers);
  std::optional<parser::PageRedirect> found =
      parser::find_page_redirect(response.body, url, refresh, headers.canonical);
  if (!found || is_valid_utf8(response.body)) return found;
  const parser::DecodedText decoded = parser::decode_html(response.body, headers.charset);
  return parser::find_page_redirect(decoded.text, url, refresh, headers.canonical);
}

bool repeats_reload(const std::vector<storage::Redirect>& chain, const parser::Url& url, const parser::Url& to) {
  if (!is_on_same_path(url, to)) return false;
  return std::ranges::any_of(chain, [&url](const storage::Redirect& hop) {
    const Result<parser::Url> from = parser::Url::parse(hop.from);
    return hop.kind != parser::RedirectKind::http && from && is_on_same_path(*from, url);
  });
}

}  // namespace linkherd::crawler
