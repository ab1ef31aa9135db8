#include "parser/metadata/extract_metadata.h"

#include <algorithm>
#include <optional>
#include <string>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/resolve.h"

namespace linkherd::parser {
namespace {

// A page that was saved without its address usually still names it.
std::optional<Url> stated_url(const HtmlDocument& document) {
  for (const HtmlElement element : document.elements()) {
    const bool canonical = element.name() == "link" && element.attribute("rel") == "canonical";
    const bool og_url = element.name() == "meta" && element.attribute("property") == "og:url";
    if (!canonical && !og_url) continue;
    const auto url = Url::parse(element.attribute(canonical ? "href" : "content").value_or(""));
    if (url && url->is_http()) return *url;
  }
  return std::nullopt;
}

// American English writes 3/4/2024 for the fourth of March; nearly everybody else means the third of April.
DayOrder day_order_of(const HtmlDocument& document, const Url* url) {
  if (url != nullptr) {
    const std::string_view host = url->host();
    for (const std::string_view suffix : {".uk", ".au", ".nz", ".in", ".ie", ".za", ".sg", ".my", ".hk", ".eu"}) {
      if (host.ends_with(suffix)) return DayOrder::day_first;
    }
  }
  for (const HtmlElement element : document.elements()) {
    if (element.name() != "html") continue;
    const std::string language = to_ascii_lower(element.attribute("lang").value_or("en-us"));
    return language == "en" || language.starts_with("en-us") || language.starts_with("en_us") ? DayOrder::month_first
                                                                                              : DayOrder::day_first;
  }
  return DayOrder::month_first;
}

}  // namespace

Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now) {
  std::optional<Url> stated;
  if (url == nullptr) {
    stated = stated_url(document);
    if (stated) url = &*stated;
  }
  const Page page{
      .document = document, .scope = Scope(document), .url = url, .now = now, .day_order = day_order_of(document, url)};
  Candidates candidates;
  extract_site_rules(page, candidates);
  extract_json_ld(page, candidates);
  extract_meta_tags(page, candidates);
  extract_microdata(page, candidates);
  extract_html_title(page, candidates);
  extract_times(page, candidates);
  extract_bylines(page, candidates);
  extract_visible_dates(page, candidates);
  extract_url_date(page, candidates);

  const SiteNames site_names = names_of_site(page, candidates);
  Metadata metadata;
  metadata.title = resolve_title(candidates, site_names);
  metadata.authors = resolve_authors(candidates, site_names);
  metadata.published = resolve_date(candidates.published);
  metadata.modified = resolve_date(candidates.modified);
  metadata.language = resolve_language(candidates);
  metadata.site_name = most_trusted(candidates.site_name);
  metadata.description = most_trusted(candidates.description);
  metadata.canonical = resolve_canonical(page, candidates);
  return metadata;
}

}  // namespace linkherd::parser
