#include "reports/compared_page.h"

#include <array>
#include <functional>
#include <utility>

#include "parser/url/canonical.h"
#include "parser/url/url.h"

namespace linkherd::reports {
namespace {

using parser::CanonicalLayer;
using parser::LinkElement;
using parser::Url;

// `page`: its own address, normalised.
std::optional<std::string> declared_canonical(const std::optional<std::string>& canonical, const std::string& page) {
  if (!canonical) return std::nullopt;
  if (!page.empty() && *canonical == page) return page;  // most do; a normal form stays as it is
  const auto url = Url::parse(*canonical);
  if (url.has_error() || !url->is_http()) return std::nullopt;
  return std::string(split_address(parser::canonical_form(*url, CanonicalLayer::normalized).url).page);
}

void set_forms(const Url& url, const parser::TrackingRules* rules, ComparedPage& page) {
  const std::array<parser::CanonicalForm, 4> layers = parser::canonical_forms(url, rules);
  page.is_web = true;
  page.normalized = split_address(layers[1].url).page;
  page.untracked = split_address(layers[2].url).page;
  page.equivalent = split_address(layers[3].url).page;
  if (const std::optional<Url> target = parser::unwrap_redirector(url, rules))
    page.untracked_fragment = target->fragment();
}

ComparedPage::Reached reached_at(const Url& url) {
  const std::array<parser::CanonicalForm, 4> layers = parser::canonical_forms(url, nullptr);
  return {std::string(split_address(layers[1].url).page), std::string(split_address(layers[3].url).page),
          std::string(url.fragment()), short_hash(url.host())};
}

}  // namespace

std::uint64_t text_hash(std::string_view text) { return std::hash<std::string_view>()(text); }

Address split_address(std::string_view href) {
  const std::size_t hash = href.find('#');
  if (hash == std::string_view::npos) return {href, {}};
  return {href.substr(0, hash), href.substr(hash + 1)};
}

ComparedPage compared_page(const storage::Verdict& verdict, const storage::Excerpt& excerpt, const Url* url,
                           const parser::TrackingRules* rules) {
  ComparedPage page;
  if (url != nullptr && url->is_http()) set_forms(*url, rules, page);
  const bool is_own_address = url != nullptr && excerpt.final_url == url->href();
  if (is_own_address && page.is_web && rules == nullptr) {  // most are not redirected
    page.reached = {page.normalized, page.equivalent, std::string(url->fragment()), short_hash(url->host())};
  } else if (!excerpt.final_url.empty()) {
    if (const Result<Url> parsed = Url::parse(excerpt.final_url)) page.reached = reached_at(*parsed);
  }
  page.is_there = storage::is_there(verdict);
  if (!page.is_there) return page;
  page.declared = declared_canonical(excerpt.canonical, page.reached ? page.reached->normalized : std::string());
  if (!excerpt.main_text.is_comparable()) return page;
  page.text = excerpt.main_text.digest;
  page.title = excerpt.title_hash.value_or(0);
  return page;
}

bool is_compared(const parser::LinkOccurrence& occurrence) {
  switch (occurrence.element) {
    case LinkElement::image:
    case LinkElement::resource:
    case LinkElement::form:
    case LinkElement::refresh: return false;
    default: return !occurrence.href.empty() && !occurrence.has(parser::LinkNote::placeholder);
  }
}

}  // namespace linkherd::reports
