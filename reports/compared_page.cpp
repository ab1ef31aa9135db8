#include "reports/compared_page.h"

#include <array>
#include <functional>
#include <utility>

#include "parser/metadata/text_values.h"
#include "parser/url/canonical.h"
#include "parser/url/url.h"

namespace linkherd::reports {
namespace {

using parser::CanonicalLayer;
using parser::LinkElement;
using parser::Url;

// Only what the page itself declares, and not the address that it has for social networks. `page`: its own address,
// normalised.
std::optional<std::string> declared_canonical(const storage::Snapshot& snapshot, const std::string& page) {
  const auto& canonical = snapshot.metadata.canonical;
  if (!canonical || (canonical->source != "link:canonical" && canonical->source != "http:link")) return std::nullopt;
  if (!page.empty() && canonical->value == page) return page;  // most do; a normal form stays as it is
  const auto url = Url::parse(canonical->value);
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

std::uint32_t short_hash(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

Address split_address(std::string_view href) {
  const std::size_t hash = href.find('#');
  if (hash == std::string_view::npos) return {href, {}};
  return {href.substr(0, hash), href.substr(hash + 1)};
}

ComparedPage compared_page(const storage::CheckedLink& link, const Url* url, const parser::TrackingRules* rules) {
  const storage::Snapshot& snapshot = link.record.snapshot;
  ComparedPage page;
  if (url != nullptr && url->is_http()) set_forms(*url, rules, page);
  const bool is_own_address = url != nullptr && snapshot.final_url == url->href();
  if (is_own_address && page.is_web && rules == nullptr) {  // most are not redirected
    page.reached = {page.normalized, page.equivalent, std::string(url->fragment()), short_hash(url->host())};
  } else if (!snapshot.final_url.empty()) {
    if (const Result<Url> parsed = Url::parse(snapshot.final_url)) page.reached = reached_at(*parsed);
  }
  page.is_there = storage::is_there(link.entry.verdict);
  if (!page.is_there) return page;
  page.declared = declared_canonical(snapshot, page.reached ? page.reached->normalized : std::string());
  if (!snapshot.main_text.is_comparable()) return page;
  page.text = snapshot.main_text.digest;
  if (snapshot.metadata.title) page.title = short_hash(parser::letters_of(snapshot.metadata.title->value));
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
