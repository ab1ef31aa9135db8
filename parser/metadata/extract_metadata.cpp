#include "parser/metadata/extract_metadata.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/metadata/identifiers.h"
#include "parser/metadata/page.h"
#include "parser/metadata/resolve.h"

namespace linkherd::parser {
namespace {

// Returns the URL that a page gives for itself. Used for pages that were saved without their URL.
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

// Returns the original URL of a copy in the Wayback Machine: http://a.example/page for
// https://web.archive.org/web/20140226054445/http://a.example/page.
std::optional<Url> archived_url(const Url& url) {
  if (url.host() != "web.archive.org" || !url.path().starts_with("/web/")) return std::nullopt;
  const std::string_view rest = url.href().substr(url.href().find("/web/") + 5);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string original(rest.substr(slash + 1));
  if (original.find("://") == std::string::npos) original.insert(0, "http://");
  auto inner = Url::parse(original);
  return inner && inner->is_http() ? std::optional(*std::move(inner)) : std::nullopt;
}

// Adds the candidates of the HTTP headers. Their trust is low, because they describe the file more than its content.
void add_headers(const PageHeaders& headers, const Page& page, Candidates& candidates) {
  const auto modified = parse_written_date(headers.last_modified);
  if (modified && is_plausible(*modified, page.now)) add(candidates.modified, *modified, "http:last-modified", 0.25);
  if (!headers.canonical.empty()) add(candidates.canonical, headers.canonical, "http:link", 0.85);
  if (!headers.language.empty()) add(candidates.language, headers.language, "http:content-language", 0.5);
}

// Uses a modification date as publication date if the page has no better one. Many hAtom templates mark their only date
// as "updated", and many guides show no other date. The candidate has low trust and a source name of its own.
void add_only_marked_dates(Candidates& candidates) {
  constexpr double share = 0.2;
  constexpr double min_confidence = 0.3;  // a publication date with this trust is preferred
  const bool is_published = std::ranges::any_of(
      candidates.published, [](const Candidate<WrittenDate>& candidate) { return candidate.trust >= min_confidence; });
  for (const Candidate<WrittenDate>& candidate : candidates.modified) {
    // The build time of a file or a manual does not show when the page was written.
    const bool is_build = candidate.source.starts_with("http:") || candidate.source == "build" ||
                          candidate.source == "meta:docbuild:last-update";
    const bool is_usable = candidate.source == "time" || (!is_published && !is_build);
    if (is_usable && candidate.value.has_day())
      add(candidates.published, candidate.value, "modified:" + candidate.source, candidate.trust * share);
  }
}

// Adds the arXiv id that is the URL of a paper.
void add_identifiers_of_address(const Page& page, Candidates& candidates) {
  if (page.url == nullptr) return;
  if (std::string id = find_arxiv_id(*page.url); !id.empty()) add(candidates.arxiv, std::move(id), "url", 0.95);
}

std::string written_value(const std::string& value) { return value; }
std::string written_value(const WrittenDate& value) { return to_iso8601(value); }

std::string written_value(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += "; ";
    text += value;
  }
  return text;
}

class Explanation {
 public:
  template <class T>
  void add(std::string_view field, const CandidateList<T>& list, const CandidateList<T>* more = nullptr) {
    const std::size_t begin = explained_.size();
    append(field, list);
    if (more != nullptr) append(field, *more);
    const auto first = explained_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto choice =
        std::find_if(first, explained_.end(), [](const ExplainedCandidate& one) { return one.verdict == chosen; });
    for (auto one = first; one != explained_.end(); ++one) {
      if (!one->verdict.empty()) continue;
      one->verdict = choice == explained_.end()
                         ? "not usable"
                         : fmt::format("another value, less trusted than the one from {}", choice->source);
    }
    if (choice != explained_.end()) std::rotate(first, choice, choice + 1);
  }

  template <class T>
  void add_apart(std::string_view field, const CandidateList<T>& list) {
    const std::size_t begin = explained_.size();
    append(field, list);
    for (std::size_t i = begin; i < explained_.size(); ++i) explained_[i].verdict = "excluded: not an author";
  }

  std::vector<ExplainedCandidate> take() { return std::move(explained_); }

 private:
  template <class T>
  void append(std::string_view field, const CandidateList<T>& list) {
    for (const Candidate<T>& candidate : list) {
      explained_.push_back({.field = std::string(field),
                            .value = written_value(candidate.value),
                            .source = candidate.source,
                            .confidence = candidate.trust,
                            .verdict = std::string(candidate.verdict)});
    }
  }

  std::vector<ExplainedCandidate> explained_;
};

// Lists the candidates after resolution, by field, with the chosen one first.
std::vector<ExplainedCandidate> explain(const Candidates& candidates) {
  Explanation explanation;
  explanation.add("title", candidates.titles, &candidates.headings);
  explanation.add("authors", candidates.authors);
  explanation.add("published", candidates.published);
  explanation.add("modified", candidates.modified);
  explanation.add("language", candidates.language);
  explanation.add("site_name", candidates.site_name);
  explanation.add("description", candidates.description);
  explanation.add("canonical", candidates.canonical);
  explanation.add("doi", candidates.doi);
  explanation.add("arxiv", candidates.arxiv);
  explanation.add("isbn", candidates.isbn);
  explanation.add_apart("editor", candidates.editors);
  explanation.add_apart("translator", candidates.translators);
  explanation.add_apart("origin", candidates.origins);
  return explanation.take();
}

}  // namespace

Metadata extract_metadata(const HtmlDocument& document, const Url* url, Timestamp now, const PageHeaders& headers,
                          std::vector<ExplainedCandidate>* explanation, Harvest harvest) {
  const bool is_full = harvest == Harvest::full;
  std::optional<Url> stated;
  if (url == nullptr) {
    stated = stated_url(document);
    if (stated) url = &*stated;
  }
  const std::optional<Url> archived = url == nullptr ? std::nullopt : archived_url(*url);
  if (archived) url = &*archived;
  const Page page{.document = document,
                  .regions = PageRegions(document),
                  .url = url,
                  .now = now,
                  .fetched = headers.date,
                  .day_order = is_full ? find_day_month_order(document, url) : DayOrder::day_first};
  Candidates candidates;
  extract_site_rules(page, candidates);
  extract_discourse(page, candidates);
  extract_json_ld(page, candidates);
  extract_meta_tags(page, candidates);
  extract_microdata(page, candidates);
  extract_html_title(page, candidates);
  extract_social_posts(page, candidates);
  if (is_full) {
    extract_bylines(page, candidates);
    extract_forum_posts(page, candidates);
    extract_page_dates(page, candidates);
  }
  add_headers(headers, page, candidates);
  add_identifiers_of_address(page, candidates);

  reject_headlines_as_site_names(candidates, page.host());
  const SiteNames site_names = find_site_names(page, candidates);
  Metadata metadata;
  metadata.title = resolve_title(page, candidates, site_names);
  if (is_full) {
    add_only_marked_dates(candidates);
    metadata.authors = resolve_authors(page, candidates, site_names);
    metadata.modified = resolve_date(candidates.modified, LaterDatePolicy::keep);
    metadata.published = resolve_date(candidates.published, LaterDatePolicy::prefer_dateline);
  }
  metadata.language = resolve_language(candidates);
  metadata.site_name = find_most_trusted(candidates.site_name);
  metadata.description = find_most_trusted(candidates.description);
  metadata.canonical = resolve_canonical(page, candidates);
  metadata.doi = resolve_identifier(candidates.doi);
  metadata.arxiv = resolve_identifier(candidates.arxiv);
  metadata.isbn = resolve_identifier(candidates.isbn);
  if (explanation != nullptr) *explanation = explain(candidates);
  return metadata;
}

}  // namespace linkherd::parser
