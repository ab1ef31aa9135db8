// Dates that stand in the text: labelled ("Published on …", 发布于 …), in elements called date, or next to the
// headline.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/scope.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_text = 160;  // bytes: a line with a date, not a paragraph that mentions one

bool says_any(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_ignoring_case(text, word); });
}

constexpr std::array<std::string_view, 33> published_words{
    "publish",    "posted",      "created",      "veröffentlicht",  "erstellt", "publié",    "publicado",
    "pubblicato", "publikováno", "опубликовано", "дата публикации", "yayın",    "geplaatst", "written on",
    "发布于",     "发表于",      "发布时间",     "发布日期",        "发表时间", "发表日期",  "時間：",
    "时间：",     "时间:",       "公開日",       "投稿日",          "등록",     "입력",      "publisert",
    "julkaistu",  "datum",       "erschienen",   "notizia del",     "parution"};
constexpr std::array<std::string_view, 27> modified_words{"updated",
                                                          "modified",
                                                          "last edit",
                                                          "aktualisiert",
                                                          "mis à jour",
                                                          "mise à jour",
                                                          "actualizado",
                                                          "atualizado",
                                                          "aggiornat",
                                                          "обновлено",
                                                          "güncelle",
                                                          "编辑于",
                                                          "更新",
                                                          "修改",
                                                          "最終更新",
                                                          "수정",
                                                          "oppdatert",
                                                          "uppdaterad",
                                                          "päivitetty",
                                                          "bijgewerkt",
                                                          "last change",
                                                          "letzte änderung",
                                                          "geändert",
                                                          "zuletzt",
                                                          "last modification",
                                                          "dernière modification",
                                                          "ultima modifica"};
constexpr std::array<std::string_view, 12> date_names{"date", "datum", "publish",  "posted", "time",      "byline",
                                                      "meta", "fecha", "datetime", "pub",    "submitted", "created"};

// The beginning of the text that stands directly in an element.
std::string own_text(HtmlElement element) {
  std::string text;
  const GumboVector& children = element.node()->v.element.children;
  for (unsigned i = 0; i < children.length && text.size() < max_text; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type != GUMBO_NODE_TEXT) continue;
    text += collapse_spaces(truncate_utf8(child->v.text.text, 4 * max_text));
    text += ' ';
  }
  text.resize(truncate_utf8(text, max_text).size());
  return collapse_spaces(text);
}

// Whether there may be a date in it: a digit, or a year whose digits are Han or full-width.
bool has_number(std::string_view text) {
  bool any = false;
  for (const char c : text) any |= is_ascii_digit(c);  // to the end, which is quicker than to stop at the first
  return any || text.find("年") != std::string_view::npos;
}

// Whether own_text() could hold one: asked of every element, so cheap.
bool has_own_number(HtmlElement element) {
  const GumboVector& children = element.node()->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type != GUMBO_NODE_TEXT) continue;
    if (has_number(child->v.text.text)) return true;
  }
  return false;
}

struct Place {
  bool after_headline = false;
  std::size_t distance = 0;  // elements from the headline
  bool side_matter = false;
};

constexpr std::size_t max_dates = 3;  // of one text

void read_dates(HtmlElement element, const std::string& text, const std::vector<FoundDate>& dates, Place place,
                const Page& page, Candidates& candidates) {
  for (const FoundDate& found : dates) {
    if (!found.date.has_day() || !is_plausible(found.date, page.now)) continue;
    const std::string_view before = std::string_view(text).substr(0, found.begin);
    const std::string_view label = before.substr(before.size() - std::min<std::size_t>(before.size(), 48));
    double trust = place.after_headline && place.distance < 60 ? 0.5 : 0.3;
    const bool named = std::ranges::any_of(date_names, [&](std::string_view name) {
      const auto parent = element.parent();
      return is_called(element, name) || (parent && is_called(*parent, name));
    });
    if (named) trust += 0.12;
    // A line that is nothing but a date is a dateline; a date inside a sentence is part of a story.
    const bool dateline = found.begin == 0 && found.date.has_time() && place.after_headline;
    if (found.end - found.begin + 24 < text.size() && !dateline) trust -= 0.1;
    if (found.ambiguous) trust -= 0.03;
    if (place.side_matter) trust *= 0.4;
    trust = std::max(trust, 0.1);
    if (says_any(label, modified_words)) {
      add(candidates.modified, found.date, "text", trust);
      continue;
    }
    if (says_any(label, published_words)) trust += 0.15;
    add(candidates.published, found.date, "text", trust);
  }
}

// "3 days ago" as the whole of a small text; where it stands decides little, as it says little.
void add_relative_date(HtmlElement element, const std::string& text, const Page& page, Candidates& candidates) {
  constexpr double trust = 0.2;
  const auto date = parse_relative_date(text, page.now);
  if (!date || page.scope.is_side_matter(element) || enclosing(element, "a", 3)) return;
  auto& list = says_any(text, modified_words) ? candidates.modified : candidates.published;
  add(list, *date, "relative", trust);
}

// What Sphinx makes out of a manual has no day of publication: the dates in it are part of what it tells.
bool is_manual(const Page& page) {
  return std::ranges::any_of(page.searched_elements(), [](HtmlElement element) {
    return element.node()->v.element.tag == GUMBO_TAG_DIV &&
           (element.has_class("rst-content") || element.has_class("documentwrapper"));
  });
}

void add_build_date(const Page& page, Candidates& candidates) {
  for (const HtmlElement element : page.searched_elements()) {
    if (!element.has_class("lastupdated")) continue;
    const auto date = parse_written_date(element.short_text(max_text).value_or(""), page.day_order);
    if (date && is_plausible(*date, page.now)) add(candidates.modified, *date, "text", 0.5);
    return;
  }
}

}  // namespace

void extract_visible_dates(const Page& page, Candidates& candidates) {
  if (is_manual(page)) {
    add_build_date(page, candidates);
    return;
  }
  Place place;
  std::size_t budget = 600;
  const auto elements = page.searched_elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const HtmlElement element = elements[i];
    const GumboTag tag = element.node()->v.element.tag;
    ++place.distance;
    if (tag == GUMBO_TAG_H1) place = {.after_headline = true, .distance = 0};
    if (tag == GUMBO_TAG_TITLE || tag == GUMBO_TAG_OPTION || tag == GUMBO_TAG_TEXTAREA || budget == 0) continue;
    if (element.node()->v.element.children.length == 0) continue;
    const bool near = page.scope.is_near_headline(i);
    if (!near && !has_own_number(element)) continue;
    std::string text = own_text(element);
    if (near) add_relative_date(element, text, page, candidates);
    if (text.size() < 6 || !has_number(text)) continue;
    std::vector<FoundDate> dates = find_dates(text, page.day_order, max_dates);
    if (dates.empty()) {
      // "<span>5</span> <span>March</span> 2024" and the like: the whole element, when it is short.
      if (!is_called(element, "date")) continue;
      text = element.short_text(max_text).value_or("");
      if (text.empty()) continue;
      dates = find_dates(text, page.day_order, max_dates);
    }
    --budget;
    const auto link = enclosing(element, "a", 3);
    if (link && tag != GUMBO_TAG_TIME) continue;  // most often another article's
    place.side_matter = page.scope.is_side_matter(element);
    if (place.side_matter && enclosing(element, "footer")) continue;  // when the site began, most often
    read_dates(element, text, dates, place, page, candidates);
  }
}

}  // namespace linkherd::parser
