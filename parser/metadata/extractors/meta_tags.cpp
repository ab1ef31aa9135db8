// Extracts <meta> and <link> elements of the head: Open Graph, Twitter, citation_*, Dublin Core and other names for
// dates and authors.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/byline_words.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/identifiers.h"
#include "parser/metadata/page.h"
#include "parser/metadata/text_values.h"
#include "parser/url/host_labels.h"

namespace linkherd::parser {
namespace {

enum class Meaning : std::uint8_t {
  title,
  authors,
  one_author,
  published,
  modified,
  language,
  site_name,
  description,
  doi,
  arxiv
};

struct MetaName {
  std::string_view name;  // lower case; the value of a name, property, itemprop or http-equiv attribute
  Meaning meaning;
  double trust;
};

constexpr std::array meta_names{
    MetaName{"og:title", Meaning::title, 0.7},
    MetaName{"twitter:title", Meaning::title, 0.6},
    MetaName{"citation_title", Meaning::title, 0.95},
    MetaName{"dc.title", Meaning::title, 0.7},
    MetaName{"dcterms.title", Meaning::title, 0.7},
    MetaName{"parsely-title", Meaning::title, 0.75},
    MetaName{"sailthru.title", Meaning::title, 0.75},
    MetaName{"title", Meaning::title, 0.5},
    MetaName{"headline", Meaning::title, 0.75},
    MetaName{"hdl", Meaning::title, 0.75},

    MetaName{"author", Meaning::authors, 0.7},
    MetaName{"authors", Meaning::authors, 0.7},
    MetaName{"byl", Meaning::authors, 0.8},
    MetaName{"byline", Meaning::authors, 0.7},
    MetaName{"article:author", Meaning::authors, 0.65},
    MetaName{"og:article:author", Meaning::authors, 0.65},
    MetaName{"og:author", Meaning::authors, 0.6},
    MetaName{"citation_author", Meaning::one_author, 0.95},
    MetaName{"dc.creator", Meaning::authors, 0.7},
    MetaName{"dcterms.creator", Meaning::authors, 0.7},
    MetaName{"creator", Meaning::authors, 0.5},
    MetaName{"parsely-author", Meaning::authors, 0.8},
    MetaName{"sailthru.author", Meaning::authors, 0.8},
    MetaName{"shareaholic:article_author_name", Meaning::authors, 0.7},
    MetaName{"cxenseparse:author", Meaning::authors, 0.7},

    MetaName{"article:published_time", Meaning::published, 0.9},
    MetaName{"article:published", Meaning::published, 0.9},
    MetaName{"article:publicationdate", Meaning::published, 0.9},
    MetaName{"article.published", Meaning::published, 0.9},
    MetaName{"article_date_original", Meaning::published, 0.9},
    MetaName{"og:article:published_time", Meaning::published, 0.9},
    MetaName{"og:published_time", Meaning::published, 0.85},
    MetaName{"og:publish_date", Meaning::published, 0.85},
    MetaName{"og:pubdate", Meaning::published, 0.85},
    MetaName{"og:release_date", Meaning::published, 0.7},
    MetaName{"bt:pubdate", Meaning::published, 0.85},
    MetaName{"citation_date", Meaning::published, 0.9},
    MetaName{"citation_publication_date", Meaning::published, 0.85},
    MetaName{"citation_online_date", Meaning::published, 0.8},
    MetaName{"cxenseparse:recs:publishtime", Meaning::published, 0.85},
    MetaName{"cxenseparse:publishtime", Meaning::published, 0.85},
    MetaName{"date", Meaning::published, 0.46},
    MetaName{"datepublished", Meaning::published, 0.85},
    MetaName{"datecreated", Meaning::published, 0.65},
    MetaName{"date.created", Meaning::published, 0.65},
    MetaName{"dc.date", Meaning::published, 0.46},
    MetaName{"dc.date.created", Meaning::published, 0.7},
    MetaName{"dc.date.issued", Meaning::published, 0.8},
    MetaName{"dcterms.created", Meaning::published, 0.7},
    MetaName{"dcterms.date", Meaning::published, 0.46},
    MetaName{"dcterms.issued", Meaning::published, 0.8},
    MetaName{"displaydate", Meaning::published, 0.8},
    MetaName{"mediator_published_time", Meaning::published, 0.85},
    MetaName{"originalpublicationdate", Meaning::published, 0.9},
    MetaName{"parsely-pub-date", Meaning::published, 0.9},
    MetaName{"pdate", Meaning::published, 0.8},
    MetaName{"ptime", Meaning::published, 0.8},
    MetaName{"pubdate", Meaning::published, 0.85},
    MetaName{"apub:time", Meaning::published, 0.85},
    MetaName{"publishdate", Meaning::published, 0.85},
    MetaName{"publish_date", Meaning::published, 0.85},
    MetaName{"publish-date", Meaning::published, 0.85},
    MetaName{"publish_time", Meaning::published, 0.85},
    MetaName{"published", Meaning::published, 0.8},
    MetaName{"published-date", Meaning::published, 0.85},
    MetaName{"published_time", Meaning::published, 0.85},
    MetaName{"release_date", Meaning::published, 0.7},
    MetaName{"sailthru.date", Meaning::published, 0.85},
    MetaName{"shareaholic:article_published_time", Meaning::published, 0.85},
    MetaName{"uploaddate", Meaning::published, 0.75},
    MetaName{"weibo: article:create_at", Meaning::published, 0.85},

    MetaName{"article:modified_time", Meaning::modified, 0.9},
    MetaName{"article:modified", Meaning::modified, 0.85},
    MetaName{"og:updated_time", Meaning::modified, 0.8},
    MetaName{"og:modified_time", Meaning::modified, 0.8},
    MetaName{"datemodified", Meaning::modified, 0.85},
    MetaName{"date.modified", Meaning::modified, 0.8},
    MetaName{"dc.date.modified", Meaning::modified, 0.8},
    MetaName{"dcterms.modified", Meaning::modified, 0.8},
    MetaName{"last-modified", Meaning::modified, 0.6},
    MetaName{"dateupdate", Meaning::modified, 0.8},
    MetaName{"lastmod", Meaning::modified, 0.8},
    MetaName{"revision_date", Meaning::modified, 0.7},
    MetaName{"utime", Meaning::modified, 0.7},
    MetaName{"docbuild:last-update", Meaning::modified, 0.7},

    MetaName{"og:locale", Meaning::language, 0.5},
    MetaName{"content-language", Meaning::language, 0.6},
    MetaName{"language", Meaning::language, 0.5},
    MetaName{"dc.language", Meaning::language, 0.7},
    MetaName{"inlanguage", Meaning::language, 0.7},
    MetaName{"og:site_name", Meaning::site_name, 0.9},
    MetaName{"application-name", Meaning::site_name, 0.6},
    MetaName{"apple-mobile-web-app-title", Meaning::site_name, 0.5},
    MetaName{"twitter:app:name:iphone", Meaning::site_name, 0.4},
    MetaName{"og:description", Meaning::description, 0.8},
    MetaName{"description", Meaning::description, 0.75},
    MetaName{"twitter:description", Meaning::description, 0.6},
    MetaName{"dc.description", Meaning::description, 0.6},

    MetaName{"citation_doi", Meaning::doi, 0.95},
    MetaName{"prism.doi", Meaning::doi, 0.9},
    MetaName{"doi", Meaning::doi, 0.85},
    MetaName{"dc.identifier", Meaning::doi, 0.8},
    MetaName{"dcterms.identifier", Meaning::doi, 0.8},
    MetaName{"citation_arxiv_id", Meaning::arxiv, 0.95},
};

// Returns true if the value contains the host: "Deutsche Welle (www.dw.com)" is the publisher, not a person.
bool names_the_host(std::string_view content, std::string_view host) {
  host = without_www(host);
  return host.size() > 4 && contains_ignoring_case(content, host);
}

void add_authors(std::string_view content, const MetaName& meta, const Page& page, Candidates& candidates) {
  if (names_the_host(content, page.host()) && content.find(' ') != std::string_view::npos) return;
  const std::string source = "meta:" + std::string(meta.name);
  if (meta.meaning == Meaning::one_author) {
    const std::string name = swap_last_first(clean_value(content, 200));
    if (!name.empty()) add(candidates.authors, {name}, source, meta.trust);
    return;
  }
  std::vector<std::string> names = names_in_byline(content, {});
  if (!names.empty()) add(candidates.authors, std::move(names), source, meta.trust);
}

void add_date(std::string_view content, const MetaName& meta, const Page& page, Candidates& candidates) {
  std::optional<WrittenDate> date = parse_written_date(content, page.day_order);
  if (!date) date = date_from_unix_time(content, 0);
  if (!date || !is_plausible_mark(*date, page.now)) return;
  auto& list = meta.meaning == Meaning::published ? candidates.published : candidates.modified;
  add(list, *date, "meta:" + std::string(meta.name), meta.trust);
}

void add_value(std::string_view content, const MetaName& meta, const Page& page, Candidates& candidates) {
  const std::string source = "meta:" + std::string(meta.name);
  const auto add_text = [&](CandidateList<std::string>& list, std::size_t max) {
    if (std::string text = clean_value(content, max); !text.empty()) add(list, std::move(text), source, meta.trust);
  };
  switch (meta.meaning) {
    case Meaning::title: add_text(candidates.titles, max_title); break;
    case Meaning::authors:
    case Meaning::one_author: add_authors(content, meta, page, candidates); break;
    case Meaning::published:
    case Meaning::modified: add_date(content, meta, page, candidates); break;
    case Meaning::doi:
      if (std::string doi = parse_doi(content); !doi.empty()) add(candidates.doi, std::move(doi), source, meta.trust);
      break;
    case Meaning::arxiv:
      if (std::string id = parse_arxiv_id(content); !id.empty())
        add(candidates.arxiv, std::move(id), source, meta.trust);
      break;
    case Meaning::language: add_text(candidates.language, 40); break;
    case Meaning::site_name: add_text(candidates.site_name, 200); break;
    case Meaning::description: {
      add_text(candidates.description, max_description);
      const auto found = find_dates(content, page.day_order, 2);
      const bool one_day = found.size() == 1 && found.front().date.has_day() && !found.front().ambiguous;
      if (one_day && is_plausible(found.front().date, page.now)) {
        add(candidates.published, found.front().date, source, 0.15);
      }
      break;
    }
  }
}

// Reads the pairs that Yoast and others write: <meta name=twitter:label1 content="Written by"><meta name=twitter:data1
// content="Jane Doe">
void read_labelled(HtmlElement label, HtmlElement data, Candidates& candidates) {
  if (label.attribute("name") != "twitter:label1" || data.attribute("name") != "twitter:data1") return;
  const std::string_view text = trim_ascii(label.attribute("content").value_or(""));
  if (text != "作者" && text != "著者" && text != "執筆者" && !find_lone_byline_word(text)) return;
  std::vector<std::string> names = names_in_byline(data.attribute("content").value_or(""), {});
  if (!names.empty()) add(candidates.authors, std::move(names), "meta:twitter:data1", 0.68);
}

// Reads the JSON of <meta name=parsely-page content='{"title": …, "pub_date": …, "authors": […]}'>.
void read_parsely_page(std::string_view content, const Page& page, Candidates& candidates) {
  constexpr std::string_view source = "meta:parsely-page";
  constexpr double trust = 0.75;
  boost::json::value value;
  if (!parse_embedded_json(content, value)) return;
  if (std::string title = clean_value(text_of(at_path(value, "title")), max_title); !title.empty())
    add(candidates.titles, std::move(title), source, trust);
  std::vector<std::string> names;
  for (const std::string_view key : {"author", "authors"}) {
    const boost::json::value* authors = at_path(value, key);
    add_names(names, names_in_byline(text_of(authors), {}));
    if (authors == nullptr || !authors->is_array()) continue;
    for (const boost::json::value& author : authors->get_array())
      add_names(names, names_in_byline(text_of(&author), {}));
  }
  if (!names.empty()) add(candidates.authors, std::move(names), source, trust);
  const auto date = parse_written_date(text_of(at_path(value, "pub_date")), page.day_order);
  if (date && is_plausible_mark(*date, page.now)) add(candidates.published, *date, source, trust);
}

void read_meta(HtmlElement element, const Page& page, Candidates& candidates) {
  const auto content = element.attribute("content");
  if (!content || content->empty()) return;
  for (const std::string_view attribute : {"property", "name", "itemprop", "http-equiv"}) {
    const auto key = element.attribute(attribute);
    if (!key || key->empty()) continue;
    std::string name = to_ascii_lower(trim_ascii(*key));
    // Dublin Core names are written with a dot or a colon.
    if (name.starts_with("dc:") || name.starts_with("dcterms:") || name.starts_with("dcsext:")) {
      std::ranges::replace(name, ':', '.');
    }
    // Microdata has its own extractor: its properties belong to their item, not to the page.
    if (attribute == "itemprop" &&
        (name == "author" || name == "title" || name == "description" || name == "creator" || name == "datepublished" ||
         name == "datemodified" || name == "datecreated" || name == "uploaddate")) {
      continue;
    }
    if (name == "parsely-page") return read_parsely_page(*content, page, candidates);
    const auto* known = std::ranges::find(meta_names, std::string_view(name), &MetaName::name);
    if (known != meta_names.end()) {
      add_value(*content, *known, page, candidates);
      return;
    }
  }
}

}  // namespace

void extract_meta_tags(const Page& page, Candidates& candidates) {
  std::size_t budget = 2000;  // elements that are read; usual pages have a few dozen
  std::optional<HtmlElement> before;
  for (const HtmlElement element : page.document.elements()) {
    const GumboTag tag = element.node()->v.element.tag;
    if (tag == GUMBO_TAG_META && budget > 0) {
      --budget;
      read_meta(element, page, candidates);
      if (before) read_labelled(*before, element, candidates);
      before = element;
    } else if (tag == GUMBO_TAG_LINK) {
      const auto rel = element.attribute("rel");
      const auto href = element.attribute("href");
      if (rel && href && equals_ignoring_case(*rel, "canonical")) {
        add(candidates.canonical, std::string(trim_ascii(*href)), "link:canonical", 0.9);
      }
    } else if (tag == GUMBO_TAG_HTML) {
      for (const std::string_view name : {"lang", "xml:lang"}) {
        if (const auto language = element.attribute(name)) {
          add(candidates.language, std::string(trim_ascii(*language)), "html:lang", 0.8);
        }
      }
    }
  }
}

}  // namespace linkherd::parser
