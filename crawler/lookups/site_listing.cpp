#include "crawler/lookups/site_listing.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/document_format.h"
#include "parser/lists/extract_links.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_elsewhere = 500;
constexpr std::size_t max_listed_text_bytes = 256;
constexpr std::size_t max_listed_addresses = 50'000;  // limit of the sitemap protocol

bool is_page_link(const parser::LinkOccurrence& link) {
  using parser::LinkElement;
  return link.element == LinkElement::link || link.element == LinkElement::autolink ||
         link.element == LinkElement::bare || link.element == LinkElement::data;
}

}  // namespace

SiteListing read_site_listing(std::string_view text, const parser::Url& document) {
  SiteListing listing;
  // A page about a file, such as one of a forge, has the extension of the file.
  const parser::DocumentFormat by_content = parser::detect_document_format({}, text);
  const bool is_markup = by_content == parser::DocumentFormat::html || by_content == parser::DocumentFormat::xml;
  const parser::DocumentFormat format = is_markup ? by_content : parser::detect_document_format(document.path(), text);
  if (format != parser::DocumentFormat::html && format != parser::DocumentFormat::xml) return listing;
  const bool is_index = format == parser::DocumentFormat::xml && parser::is_sitemap_index(text);
  const std::string domain = parser::registrable_domain(document);
  std::unordered_set<std::string> known;
  parser::for_each_link(
      {.file = {}, .text = text, .format = format}, {.entries = false, .base_url = document},
      [&](const parser::LinkOccurrence& link) {
        if (listing.addresses.size() >= max_listed_addresses || link.href.empty()) return;
        Result<parser::Url> url = parser::Url::parse(link.href);
        if (!url || !url->is_http()) return;
        if (!known.insert(std::string(url->href_without_fragment())).second) return;
        if (parser::registrable_domain(*url) != domain) {
          if (is_page_link(link) && listing.elsewhere.size() < max_elsewhere)
            listing.elsewhere.push_back(std::move(*url));
        } else if (is_index) {
          listing.sitemaps.push_back(std::move(*url));
        } else if (parser::contains_ignoring_case(link.rel, "alternate")) {
          listing.feeds.push_back(std::move(*url));
        } else if (is_page_link(link)) {
          listing.addresses.push_back({std::move(*url), std::string(truncate_utf8(link.text, max_listed_text_bytes))});
        }
      });
  return listing;
}

}  // namespace linkherd::crawler
