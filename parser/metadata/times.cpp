// <time> and the elements of hAtom: dates that a page marks as dates.
#include <array>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/scope.h"

namespace linkherd::parser {
namespace {

// A date inside a link to another page is that page's date.
bool is_of_other_page(HtmlElement element, const Page& page) {
  const auto link = enclosing(element, "a", 4);
  if (!link) return false;
  const auto href = link->attribute("href");
  if (!href || href->starts_with('#')) return false;
  if (page.url == nullptr) return false;
  const auto url = Url::parse(*href, *page.url);
  return url && url->path() != page.path() && url->path().size() > 1;
}

constexpr std::array<std::string_view, 4> hatom_dates{"published", "dt-published", "entry-date", "updated"};

bool says_updated(HtmlElement element) {
  for (const std::string_view word : {"updated", "modified", "update", "modif"}) {
    if (is_called(element, word) && !is_called(element, "published")) return true;
  }
  const auto parent = element.parent();
  if (!parent) return false;
  const std::string around = to_ascii_lower(parent->short_text(120).value_or(""));
  for (const std::string_view word : {"updated", "modified", "last edit", "aktualisiert", "mis à jour", "actualizado",
                                      "aggiornato", "обновлено", "güncelle", "编辑于", "更新", "修改"}) {
    if (around.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

void extract_times(const Page& page, Candidates& candidates) {
  std::size_t budget = 200;
  for (const HtmlElement element : page.searched_elements()) {
    const bool is_time = element.node()->v.element.tag == GUMBO_TAG_TIME;
    const bool is_hatom = element.has_class_of(hatom_dates);
    // <abbr title="Friday, 6 October 2017 at 04:00" data-utime=…>, as Facebook and many boards write it.
    const bool is_abbreviation = element.node()->v.element.tag == GUMBO_TAG_ABBR && element.attribute("title");
    if ((!is_time && !is_hatom && !is_abbreviation) || budget == 0) continue;
    --budget;
    if (is_of_other_page(element, page)) continue;
    const double scope = page.scope.is_side_matter(element) ? 0.4 : 1.0;
    std::string text(element.attribute("datetime").value_or(""));
    if (text.empty()) text = element.attribute("title").value_or("");
    auto date = parse_written_date(text, page.day_order);
    if (!date && !is_abbreviation) date = parse_written_date(element.short_text(200).value_or(""), page.day_order);
    if (!date || !is_plausible(*date, page.now)) continue;
    const bool marked =
        element.attribute("pubdate") || is_called(element, "publish") || is_called(element, "entry-date");
    if (says_updated(element)) {
      add(candidates.modified, *date, "time", 0.7 * scope);
    } else {
      add(candidates.published, *date, "time", (marked ? 0.8 : is_abbreviation ? 0.5 : 0.7) * scope);
    }
  }
}

}  // namespace linkherd::parser
