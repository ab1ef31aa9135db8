#include "crawler/lookups/site_listing.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/document_format.h"
#include "parser/lists/extract_links.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/registrable_domain.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_listed_addresses = 50'000;  // limit of the sitemap protocol
constexpr std::size_t head_bytes = 4096;

bool is_page_link(const parser::LinkOccurrence& link) {
  using parser::LinkElement;
  return link.element == LinkElement::link || link.element == LinkElement::autolink ||
         link.element == LinkElement::bare || link.element == LinkElement::data;
}

}  // namespace

SiteListing read_site_listing(std::string_view text, const parser::Url& document) {
  SiteListing listing;
  const parser::DocumentFormat format = parser::detect_document_format(document.path(), text);
  if (format != parser::DocumentFormat::html && format != parser::DocumentFormat::xml) return listing;
  const bool is_index = format == parser::DocumentFormat::xml &&
                        text.substr(0, head_bytes).find("<sitemapindex") != std::string_view::npos;
  const std::string domain = parser::registrable_domain(document);
  std::unordered_set<std::string> known;
  parser::for_each_link({.file = {}, .text = text, .format = format}, {.entries = false, .base_url = document},
                        [&](const parser::LinkOccurrence& link) {
                          if (listing.addresses.size() >= max_listed_addresses || link.href.empty()) return;
                          Result<parser::Url> url = parser::Url::parse(link.href);
                          if (!url || !url->is_http() || parser::registrable_domain(*url) != domain) return;
                          if (!known.insert(std::string(url->href_without_fragment())).second) return;
                          if (is_index) {
                            listing.sitemaps.push_back(std::move(*url));
                          } else if (parser::contains_ignoring_case(link.rel, "alternate")) {
                            listing.feeds.push_back(std::move(*url));
                          } else if (is_page_link(link)) {
                            listing.addresses.push_back({std::move(*url), link.text});
                          }
                        });
  return listing;
}

}  // namespace linkherd::crawler
