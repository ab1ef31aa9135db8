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

// What the server says is mostly about its files, not about what is in them.
void add_headers(const PageHeaders& headers, const Page& page, Candidates& candidates) {
  const auto modified = parse_written_date(headers.last_modified);
  if (modified && is_plausible(*modified, page.now)) add(candidates.modified, *modified, "http:last-modified", 0.25);
  if (!headers.canonical.empty()) add(candidates.canonical, headers.canonical, "http:link", 0.85);
  if (!headers.language.empty()) add(candidates.language, headers.language, "http:content-language", 0.5);
}

// Many templates of hAtom mark the only date they show as "updated": better than nothing, and said so.
void add_only_marked_dates(Candidates& candidates) {
  constexpr double share = 0.2;
  for (const Candidate<WrittenDate>& candidate : candidates.modified) {
    if (candidate.source == "time" && candidate.value.has_day())
      add(candidates.published, candidate.value, "modified:time", candidate.trust * share);
  }
}

}  // namespace

Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now) {
  return extract_metadata(document, url, now, {});
}

Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers,
                          std::vector<ExplainedCandidate>* explanation) {
  std::optional<Url> stated;
  if (url == nullptr) {
    stated = stated_url(document);
    if (stated) url = &*stated;
  }
  const Page page{.document = document,
                  .scope = Scope(document),
                  .url = url,
                  .now = now,
                  .day_order = order_of_day_and_month(document, url)};
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
  extract_state_dates(page, candidates);
  add_headers(headers, page, candidates);
  add_only_marked_dates(candidates);

  const SiteNames site_names = names_of_site(page, candidates);
  Metadata metadata;
  metadata.title = resolve_title(candidates, site_names);
  metadata.authors = resolve_authors(candidates, site_names);
  metadata.modified = resolve_date(candidates.modified);
  metadata.published = resolve_date(candidates.published);
  metadata.language = resolve_language(candidates);
  metadata.site_name = most_trusted(candidates.site_name);
  metadata.description = most_trusted(candidates.description);
  metadata.canonical = resolve_canonical(page, candidates);
  if (explanation != nullptr) *explanation = explain(candidates);
  return metadata;
}

}  // namespace linkherd::parser
