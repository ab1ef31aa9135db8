// The input of every extractor: the document and what is known about it from other sources.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parser/html/html_document.h"
#include "parser/metadata/candidates.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/page_regions.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// Limit for extractors that search the visible text. The relevant parts of a page come before an endless list.
inline constexpr std::size_t max_searched_elements = 50'000;

struct Page {
  const HtmlDocument& document;
  PageRegions regions;
  const Url* url = nullptr;  // null if unknown
  Timestamp now;
  std::optional<Timestamp> fetched = {};     // the day that "yesterday" refers to; unknown for most saved pages
  DayOrder day_order = DayOrder::day_first;  // how dates such as 3/4/2024 are read

  // Returns the first max_searched_elements elements, in document order.
  std::span<const HtmlElement> searched_elements() const {
    const auto& all = document.elements();
    return std::span(all).first(std::min(all.size(), max_searched_elements));
  }
  std::string_view host() const { return url == nullptr ? std::string_view() : url->host(); }
  std::string_view path() const { return url == nullptr ? std::string_view() : url->path(); }
};

// Returns the order of day and month on a page. The unambiguous dates of the page decide; if it has none, its host and
// language do.
DayOrder find_day_month_order(const HtmlDocument& document, const Url* url);

// Returns true if the words of the host or of the path are those of a forum.
bool is_forum(const Page& page);

// Returns the first date in the segments of a path: /2024/03/05/title.
std::optional<WrittenDate> date_in_path(std::string_view path);

// The extractors. Each adds candidates of one source.
void extract_meta_tags(const Page& page, Candidates& candidates);
void extract_json_ld(const Page& page, Candidates& candidates);
void extract_microdata(const Page& page, Candidates& candidates);
void extract_html_title(const Page& page, Candidates& candidates);
void extract_bylines(const Page& page, Candidates& candidates);
void extract_page_dates(const Page& page, Candidates& candidates);
void extract_forum_posts(const Page& page, Candidates& candidates);
void extract_social_posts(const Page& page, Candidates& candidates);  // after the titles
void extract_discourse(const Page& page, Candidates& candidates);
void extract_site_rules(const Page& page, Candidates& candidates);

}  // namespace linkherd::parser
