#include "crawler/classify/usable_target.h"

#include <algorithm>
#include <array>

#include "crawler/classify/content_mismatch.h"
#include "parser/ascii.h"
#include "parser/url/tracking_parameters.h"

namespace linkherd::crawler {

namespace {

using parser::Url;

// Hosts of persistent identifiers. A document means the identifier, not its current target.
constexpr std::array<std::string_view, 8> persistent_hosts{"doi.org",          "dx.doi.org",     "hdl.handle.net",
                                                           "purl.org",         "w3id.org",       "n2t.net",
                                                           "www.wikidata.org", "identifiers.org"};

// Parameters of a single visit, other than session IDs.
constexpr std::array<std::string_view, 13> visit_parameters{
    "token",     "ticket",    "state",    "nonce", "code",         "next",    "return",
    "returnurl", "return_to", "redirect", "goto",  "redirect_uri", "continue"};

bool is_persistent(const Url& url) { return parser::is_one_of(persistent_hosts, url.host()); }

// Recognizes "en", "zh-cn", "index.html" and "home", which may form the path of a home page.
bool is_of_home(std::string_view segment) {
  const std::string name = parser::to_ascii_lower(segment);
  if (name.empty() || name == "home" || name.starts_with("index.") || name.starts_with("default.")) return true;
  const bool has_region = name.size() == 5 && (name[2] == '-' || name[2] == '_');
  return (name.size() == 2 || has_region) && parser::is_ascii_letter(name[0]) && parser::is_ascii_letter(name[1]);
}

bool is_home_page(const Url& url) {
  if (!url.query().empty()) return false;
  std::string_view path = url.path();
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    if (!is_of_home(segment)) return false;
    path.remove_prefix(segment.size());
  }
  return true;
}

bool has_parameter_of_visit(const Url& url) {
  std::string_view rest = url.query();
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::string name = parser::to_ascii_lower(pair.substr(0, pair.find('=')));
    if (parser::is_session_parameter(name) || parser::is_one_of(visit_parameters, name)) return true;
  }
  return parser::contains_ignoring_case(url.path(), ";jsessionid=");
}

bool is_named_as_missing(const Url& url) {
  constexpr std::array<std::string_view, 7> words{"404",       "notfound", "not-found",  "not_found",
                                                  "page-gone", "error",    "unavailable"};
  return std::ranges::any_of(
      words, [&url](std::string_view word) { return parser::contains_ignoring_case(url.path(), word); });
}

bool is_sure_target(const Url& from, const Url& to) {
  if (is_home_page(to) && !is_home_page(from)) return false;
  if (is_sign_on(to.href()) && !is_sign_on(from.href())) return false;
  if (has_parameter_of_visit(to) && !has_parameter_of_visit(from)) return false;
  return !is_named_as_missing(to) || is_named_as_missing(from);
}

}  // namespace

std::optional<Url> web_address(std::string_view href) {
  const auto url = Url::parse(href);
  const bool is_plain = url && url->is_http() && url->username().empty() && url->password().empty();
  return is_plain ? std::optional(*url) : std::nullopt;
}

std::optional<std::string> usable_target(const Url& from, std::string_view new_address) {
  const std::optional<Url> to = web_address(new_address);
  if (!to || is_persistent(from)) return std::nullopt;
  // The schemes mean the same page, but a change from https back to http is unwanted.
  if (from.scheme() == "https" && to->scheme() == "http") return std::nullopt;
  return is_sure_target(from, *to) ? std::optional(std::string(to->href())) : std::nullopt;
}

}  // namespace linkherd::crawler
