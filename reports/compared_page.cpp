#include "reports/compared_page.h"

#include <algorithm>
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

std::string without_fragment(std::string url) {
  url.resize(std::min(url.size(), url.find('#')));
  return url;
}

void set_forms(const Url& url, const parser::TrackingRules* rules, ComparedPage& page) {
  std::array<parser::CanonicalForm, 4> layers = parser::canonical_forms(url, rules);
  page.is_web = true;
  page.normalized = without_fragment(std::move(layers[1].url));
  page.untracked = without_fragment(std::move(layers[2].url));
  page.equivalent = without_fragment(std::move(layers[3].url));
  if (page.untracked == page.normalized) return;
  if (const std::optional<Url> target = parser::unwrap_redirector(url, rules))
    page.untracked_fragment = target->fragment();
}

ComparedPage::Forms forms_of(const Url& url) {
  std::array<parser::CanonicalForm, 4> layers = parser::canonical_forms(url, nullptr);
  return {without_fragment(std::move(layers[1].url)), without_fragment(std::move(layers[3].url)),
          std::string(url.fragment()), short_hash(url.host())};
}

// `reached` has the forms of the page's own address.
std::optional<ComparedPage::Forms> declared_canonical(const std::optional<std::string>& canonical,
                                                      const std::optional<ComparedPage::Forms>& reached) {
  if (!canonical) return std::nullopt;
  // True for most pages; normalising again changes nothing.
  if (reached && *canonical == reached->normalized) return reached;
  const auto url = Url::parse(*canonical);
  if (url.has_error() || !url->is_http()) return std::nullopt;
  return forms_of(*url);
}

}  // namespace

std::uint64_t text_hash(std::string_view text) { return std::hash<std::string_view>()(text); }

std::string_view page_part(std::string_view href) { return href.substr(0, href.find('#')); }

std::string_view fragment_part(std::string_view href) {
  const std::size_t hash = href.find('#');
  return hash == std::string_view::npos ? std::string_view() : href.substr(hash + 1);
}

ComparedPage compared_page(const storage::LinkResult& result, const Url* url, const parser::TrackingRules* rules) {
  const storage::PageSummary& features = result.page;
  ComparedPage page;
  if (url != nullptr && url->is_http()) set_forms(*url, rules, page);
  const bool is_own_address = url != nullptr && features.final_url == url->href();
  if (is_own_address && page.is_web && rules == nullptr) {  // most are not redirected
    page.reached = {page.normalized, page.equivalent, std::string(url->fragment()), short_hash(url->host())};
  } else if (!features.final_url.empty()) {
    if (const Result<Url> parsed = Url::parse(features.final_url)) page.reached = forms_of(*parsed);
  }
  page.exists = storage::page_exists(result.verdict);
  if (!page.exists) return page;
  page.declared = declared_canonical(features.canonical, page.reached);
  if (!features.main_text.is_comparable()) return page;
  page.text = features.main_text.digest;
  page.title = features.title_hash.value_or(0);
  return page;
}

bool is_compared(LinkElement element) {
  switch (element) {
    case LinkElement::image:
    case LinkElement::resource:
    case LinkElement::form:
    case LinkElement::refresh: return false;
    default: return true;
  }
}

bool is_compared(const parser::LinkOccurrence& occurrence) {
  return is_compared(occurrence.element) && !occurrence.href.empty() && !occurrence.has(parser::LinkNote::placeholder);
}

}  // namespace linkherd::reports
