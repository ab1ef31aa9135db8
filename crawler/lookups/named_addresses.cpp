#include "crawler/lookups/named_addresses.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/lists/document_format.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_named_addresses = 5;
constexpr std::size_t max_notice_bytes = 400;  // of the text around a link; longer texts are no notices
constexpr std::size_t max_distance = 80;       // in bytes, of a link from the phrase of its notice
constexpr std::size_t max_links = 2000;        // of a page that are read

// Phrases of notices, in lower case.
constexpr std::array<std::string_view, 24> move_phrases{
    "moved to",      "has moved",    "have moved", "been moved",   "moved here",       "new location",
    "new address",   "new home",     "new url",    "now lives at", "now available at", "can now be found",
    "superseded by", "relocated to", "umgezogen",  "neue adresse", "a été déplacé",    "nouvelle adresse",
    "se ha movido",  "移至",         "迁移到",     "已迁移",       "新地址",           "搬到"};

// Returns true if a phrase of a notice is near the link.
bool is_move_notice(const parser::HtmlElement& link) {
  const std::optional<parser::HtmlElement> around = link.parent();
  if (!around) return false;
  const std::optional<std::string> text = around->short_text(max_notice_bytes);
  const std::optional<std::string> link_text = link.short_text(max_notice_bytes);
  if (!text || !link_text) return false;
  const std::string lower = parser::to_ascii_lower(*text);
  const std::size_t at = std::min(text->find(*link_text), text->size());
  const std::size_t begin = at - std::min(at, max_distance);
  const std::string_view near = std::string_view(lower).substr(begin, at - begin + link_text->size() + max_distance);
  return std::ranges::any_of(move_phrases,
                             [near](std::string_view phrase) { return near.find(phrase) != std::string_view::npos; });
}

// The addresses of a page, by how it names them.
struct NamedAddresses {
  const parser::Url& page;
  std::vector<ListedAddress> notices, canonical;

  std::optional<parser::Url> other_page(std::optional<std::string_view> href) const {
    if (!href) return std::nullopt;
    Result<parser::Url> url = parser::Url::parse(*href, page);
    const bool is_other =
        url.has_value() && url->is_http() && url->href_without_fragment() != page.href_without_fragment();
    return is_other ? std::optional(std::move(*url)) : std::nullopt;
  }

  void add_link(const parser::HtmlElement& link) {
    std::optional<parser::Url> url = other_page(link.attribute("href"));
    if (!url) return;
    if (is_move_notice(link)) notices.push_back({std::move(*url), link.short_text(max_notice_bytes).value_or("")});
  }

  void add_canonical(const parser::HtmlElement& link) {
    if (!parser::equals_ignoring_case(link.attribute("rel").value_or(""), "canonical")) return;
    if (std::optional<parser::Url> url = other_page(link.attribute("href"))) canonical.push_back({std::move(*url), {}});
  }
};

}  // namespace

std::vector<ListedAddress> find_named_addresses(std::string_view text, const parser::Url& url) {
  if (parser::detect_document_format(url.path(), text) != parser::DocumentFormat::html) return {};
  const parser::HtmlDocument document = parser::HtmlDocument::parse(text);
  NamedAddresses named{.page = url, .notices = {}, .canonical = {}};
  const std::vector<parser::HtmlElement> links = document.by_name("a");
  for (std::size_t i = 0; i < std::min(links.size(), max_links); ++i) named.add_link(links[i]);
  for (const parser::HtmlElement& link : document.by_name("link")) named.add_canonical(link);
  std::vector<ListedAddress> all;
  for (std::vector<ListedAddress>* addresses : {&named.notices, &named.canonical}) {
    for (ListedAddress& address : *addresses) {
      const bool is_new = std::ranges::find(all, address.url, &ListedAddress::url) == all.end();
      if (is_new && all.size() < max_named_addresses) all.push_back(std::move(address));
    }
  }
  return all;
}

}  // namespace linkherd::crawler
