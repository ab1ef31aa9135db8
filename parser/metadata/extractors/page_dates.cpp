// Extracts the dates of a page: from <time> and hAtom elements, its text, its URL and embedded data.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Dates in <time> and hAtom elements.

// The target of a link around a date.
enum class DateLink : std::uint8_t {
  none,  // no link, or its target is unclear
  this_page,
  other_page,  // the date is that of the other page
};

bool is_same_path(std::string_view one, std::string_view other) {
  const auto bare = [](std::string_view path) { return path.ends_with('/') ? path.substr(0, path.size() - 1) : path; };
  return bare(one) == bare(other);
}

// Returns true if the path is an archive of that date: /2024/03/ and /archive/2024/03/05 list its publications.
bool is_archive_of(std::string_view path, const WrittenDate& date) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  if (last.empty() || !std::ranges::all_of(last, is_ascii_digit)) return false;
  const auto written = date_in_path(path);
  return written && written->year == date.year && written->month == date.month &&
         (written->day == 0 || written->day == date.day);
}

DateLink link_of_date(HtmlElement element, const WrittenDate& date, const Page& page) {
  const auto link = enclosing(element, "a", 4);
  if (!link || page.url == nullptr) return DateLink::none;
  const auto href = link->attribute("href");
  if (!href) return DateLink::none;
  const auto url = Url::parse(*href, *page.url);
  if (!url || !url->is_http()) return DateLink::none;
  if (is_same_path(url->path(), page.path())) return DateLink::this_page;
  if (is_archive_of(url->path(), date)) return DateLink::this_page;
  return url->path().size() > 1 ? DateLink::other_page : DateLink::none;
}

constexpr std::array<std::string_view, 4> hatom_dates{"published", "dt-published", "entry-date", "updated"};

bool says_updated(HtmlElement element) {
  for (const std::string_view word : {"updated", "modified", "update", "modif"}) {
    if (class_or_id_contains(element, word) && !class_or_id_contains(element, "published")) return true;
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

// Returns true in comments, reviews and references. The posts of a thread may be called comments.
bool is_date_of_others(HtmlElement element, const Page& page, bool is_thread) {
  return !is_thread && page.regions.is_secondary(element) && page.regions.is_in_comment_or_reference(element);
}

void add_marked_dates(const Page& page, Candidates& candidates) {
  const bool is_thread = is_forum(page);
  std::size_t budget = 200;
  const auto elements = page.searched_elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const HtmlElement element = elements[i];
    const bool is_time = element.node()->v.element.tag == GUMBO_TAG_TIME;
    const bool is_hatom = element.has_any_class(hatom_dates);
    // Facebook and many forums use <abbr title="Friday, 6 October 2017 at 04:00" data-utime=…>.
    const bool is_abbreviation = element.node()->v.element.tag == GUMBO_TAG_ABBR && element.attribute("title");
    if ((!is_time && !is_hatom && !is_abbreviation) || budget == 0) continue;
    --budget;
    // The date right below the headline is preferred.
    const bool below = page.regions.is_near_headline(i) && page.regions.is_after_headline(i);
    const double share = page.regions.is_secondary(element) ? 0.4 : below ? 1.0 : 0.95;
    std::string text(element.attribute("datetime").value_or(""));
    if (text.empty()) text = element.attribute("title").value_or("");
    auto date = parse_written_date(text, page.day_order);
    if (!date && !is_abbreviation) date = parse_written_date(element.short_text(200).value_or(""), page.day_order);
    const bool marked = element.attribute("pubdate") || class_or_id_contains(element, "publish") ||
                        class_or_id_contains(element, "entry-date");
    if (!date || !(marked ? is_plausible_mark(*date, page.now) : is_plausible(*date, page.now))) continue;
    if (link_of_date(element, *date, page) == DateLink::other_page || page.regions.is_about_others(element)) continue;
    if (is_date_of_others(element, page, is_thread)) continue;
    if (says_updated(element)) {
      add(candidates.modified, *date, "time", 0.7 * share);
    } else {
      add(candidates.published, *date, "time", (marked ? 0.8 : is_abbreviation ? 0.5 : 0.7) * share);
    }
  }
}

// Dates in the text: with a label ("Published on …", 发布于 …), in elements called date, or near the headline.

constexpr std::size_t max_text = 160;  // bytes; longer texts are paragraphs

bool contains_any(std::string_view text, std::span<const std::string_view> words) {
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
constexpr std::array<std::string_view, 6> profile_words{"joined",      "registered",    "member since",
                                                        "registriert", "mitglied seit", "注册时间"};
constexpr std::array<std::string_view, 12> date_names{"date", "datum", "publish",  "posted", "time",      "byline",
                                                      "meta", "fecha", "datetime", "pub",    "submitted", "created"};

// Returns the beginning of the text that is directly in an element.
std::string own_text(HtmlElement element) {
  std::string text;
  const GumboVector& children = element.node()->v.element.children;
  for (unsigned i = 0; i < children.length && text.size() < max_text; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type != GUMBO_NODE_TEXT) continue;
    const std::string piece = collapse_spaces(truncate_utf8(child->v.text.text, 4 * max_text));
    if (!piece.empty() && !text.empty()) text += ' ';
    text += piece;
  }
  text.resize(trim_ascii(truncate_utf8(text, max_text)).size());
  return text;
}

// Returns true if the text has an Arabic, Persian, Devanagari, Bengali or Thai digit, by its bytes in UTF-8.
bool has_eastern_digit(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const unsigned first = byte(at);
    const unsigned second = byte(at + 1);
    if ((first == 0xD9 && second >= 0xA0 && second <= 0xA9) || (first == 0xDB && second >= 0xB0 && second <= 0xB9))
      return true;
    if (first != 0xE0 || at + 2 >= text.size()) continue;
    const unsigned third = byte(at + 2);
    if (((second == 0xA5 || second == 0xA7) && third >= 0xA6 && third <= 0xAF) ||
        (second == 0xB9 && third >= 0x90 && third <= 0x99))
      return true;
  }
  return false;
}

// Returns true if the text may have a date: it has a digit, or a year in Han or full-width digits.
bool has_number(std::string_view text) {
  bool any = false;
  bool ascii = true;
  for (const char c : text) {  // no early exit, because the plain loop is faster
    any |= is_ascii_digit(c);
    ascii &= is_ascii(c);
  }
  return any || (!ascii && (text.find("年") != std::string_view::npos || has_eastern_digit(text)));
}

// A cheap form of has_number(own_text()), called for every element.
bool has_own_number(HtmlElement element) {
  const GumboVector& children = element.node()->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type != GUMBO_NODE_TEXT) continue;
    if (has_number(child->v.text.text)) return true;
  }
  return false;
}

struct DatePosition {
  bool after_headline = false;
  bool near_headline = false;
  bool below_headline = false;
  bool secondary = false;
};

constexpr std::size_t max_dates = 3;  // per text

// Returns true for dates of a profile, such as "Joined: 5 March 2012".
bool is_of_profile(HtmlElement element, std::string_view label) {
  if (contains_any(label, profile_words)) return true;
  const auto parent = element.parent();
  const std::string own = to_ascii_lower(element.short_text(max_text).value_or(""));
  const std::string around = parent ? to_ascii_lower(parent->short_text(max_text).value_or("")) : std::string();
  return std::ranges::any_of(profile_words,
                             [&](std::string_view word) { return own.starts_with(word) || around.starts_with(word); });
}

void read_dates(HtmlElement element, const std::string& text, const std::vector<FoundDate>& dates,
                DatePosition position, const Page& page, Candidates& candidates) {
  for (const FoundDate& found : dates) {
    if (!found.date.has_day() || !is_plausible(found.date, page.now)) continue;
    const std::string_view before = std::string_view(text).substr(0, found.begin);
    const std::string_view label = before.substr(before.size() - std::min<std::size_t>(before.size(), 48));
    if (is_of_profile(element, label)) continue;
    double trust = position.near_headline ? 0.5 : 0.3;
    const bool named = std::ranges::any_of(date_names, [&](std::string_view name) {
      const auto parent = element.parent();
      return class_or_id_contains(element, name) || (parent && class_or_id_contains(*parent, name));
    });
    if (named) trust += 0.12;
    // A line that is only a date is a dateline; a date inside a sentence belongs to the text.
    const bool dateline = found.begin == 0 && found.date.has_time() && position.after_headline;
    if (found.end - found.begin + 24 < text.size() && !dateline) trust -= 0.1;
    if (!position.below_headline) trust -= 0.02;
    if (position.secondary) trust *= 0.4;
    trust = std::max(trust, 0.1);
    if (contains_any(label, modified_words)) {
      add(candidates.modified, found.date, "text", trust);
      continue;
    }
    if (contains_any(label, published_words)) trust += 0.15;
    add(candidates.published, found.date, "text", trust);
  }
}

// Adds a date like "3 days ago" if it is the whole of a short text. Its trust is always low.
void add_relative_date(HtmlElement element, const std::string& text, const Page& page, Candidates& candidates) {
  constexpr double trust = 0.2;
  if (!page.fetched) return;
  const auto date = parse_relative_date(text, *page.fetched);
  if (!date || page.regions.is_secondary(element) || enclosing(element, "a", 3)) return;
  auto& list = contains_any(text, modified_words) ? candidates.modified : candidates.published;
  add(list, *date, "relative", trust);
}

// Sphinx manuals have no publication date; the dates in them are content.
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
    if (date && is_plausible(*date, page.now)) add(candidates.modified, *date, "build", 0.5);
    return;
  }
}

void add_visible_dates(const Page& page, Candidates& candidates) {
  if (is_manual(page)) {
    add_build_date(page, candidates);
    return;
  }
  DatePosition position;
  const bool is_thread = is_forum(page);
  std::size_t budget = 600;
  const auto elements = page.searched_elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const HtmlElement element = elements[i];
    const GumboTag tag = element.node()->v.element.tag;
    if (tag == GUMBO_TAG_H1) position.after_headline = true;
    if (tag == GUMBO_TAG_TITLE || tag == GUMBO_TAG_OPTION || tag == GUMBO_TAG_TEXTAREA || budget == 0) continue;
    if (element.node()->v.element.children.length == 0) continue;
    const bool near = page.regions.is_near_headline(i);
    position.near_headline = near;
    position.below_headline = near && page.regions.is_after_headline(i);
    if (!near && !has_own_number(element)) continue;
    std::string text = own_text(element);
    if (near) add_relative_date(element, text, page, candidates);
    if (text.size() < 6 || !has_number(text)) continue;
    std::vector<FoundDate> dates = find_dates(text, page.day_order, max_dates);
    if (dates.empty()) {
      // The date may be split over elements ("<span>5</span> <span>March</span> 2024"), so a short element is read as
      // a whole.
      if (!class_or_id_contains(element, "date")) continue;
      text = element.short_text(max_text).value_or("");
      dates = find_dates(text, page.day_order, max_dates);
      if (dates.empty()) continue;
    }
    --budget;
    const bool is_linked = tag != GUMBO_TAG_TIME && enclosing(element, "a", 3);
    if (is_linked && link_of_date(element, dates.front().date, page) != DateLink::this_page) continue;
    if (page.regions.is_about_others(element)) continue;
    position.secondary = page.regions.is_secondary(element);
    if (position.secondary && enclosing(element, "footer")) continue;  // usually the year in which the site was founded
    if (is_date_of_others(element, page, is_thread)) continue;
    read_dates(element, text, dates, position, page, candidates);
  }
}

// Dates in the URL of a page: /2024/03/05/title, /2024-03-05-title, /20240305/title.

// Returns a number of exactly `digits` digits at `at`, or -1.
int number_at(std::string_view path, std::size_t at, std::size_t digits) {
  if (at + digits > path.size()) return -1;
  if (at + digits < path.size() && is_ascii_digit(path[at + digits])) return -1;
  int value = -1;
  const char* begin = path.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + digits, value);
  return error == std::errc() && end == begin + digits && value >= 0 ? value : -1;
}

bool is_separator(std::string_view path, std::size_t at) {
  return at < path.size() && (path[at] == '/' || path[at] == '-' || path[at] == '_' || path[at] == '.');
}

// Reads 26-01-2022. Rejects 05-01-2022, which may be in May or in January.
std::optional<WrittenDate> day_first_date_at(std::string_view path, std::size_t at) {
  const int first = number_at(path, at, 2);
  const int second = number_at(path, at + 3, 2);
  const int year = number_at(path, at + 6, 4);
  const bool separated =
      is_separator(path, at + 2) && path[at + 2] != '/' && is_separator(path, at + 5) && path[at + 5] == path[at + 2];
  if (!separated || year < 1995 || year > 2099 || second < 1 || first < 1 || (first > 12) == (second > 12))
    return std::nullopt;
  WrittenDate date;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::int8_t>(std::min(first, second));
  date.day = static_cast<std::int8_t>(std::max(first, second));
  return parse_written_date(to_iso8601(date));
}

std::optional<WrittenDate> date_at(std::string_view path, std::size_t at) {
  if (const auto date = day_first_date_at(path, at)) return date;
  WrittenDate date;
  if (const int whole = number_at(path, at, 8); whole > 0) {
    return parse_written_date(path.substr(at, 8));
  }
  const int year = number_at(path, at, 4);
  if (year < 1995 || year > 2099 || !is_separator(path, at + 4)) return std::nullopt;
  const std::size_t month_digits = number_at(path, at + 5, 2) > 0 ? 2 : 1;
  const int month = number_at(path, at + 5, month_digits);
  if (month < 1 || month > 12) return std::nullopt;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::int8_t>(month);
  const std::size_t month_end = at + 5 + month_digits;
  if (is_separator(path, month_end)) {
    const int two = number_at(path, month_end + 1, 2);
    const int day = two > 0 ? two : number_at(path, month_end + 1, 1);
    if (day >= 1 && day <= 31) date.day = static_cast<std::int8_t>(day);
  }
  if (date.day == 0 && month_digits == 1) return std::nullopt;
  // The parser checks the length of the month.
  return date.day == 0 ? date : parse_written_date(to_iso8601(date));
}

void add_date_of_address(const Page& page, Candidates& candidates) {
  const auto date = date_in_path(page.path());
  if (date && is_plausible(*date, page.now)) add(candidates.published, *date, "url", date->has_day() ? 0.6 : 0.3);
}

// Dates in the embedded data of a page, for example "publishedDate" in JSON scripts or in the state of an application.
// A fallback with low trust, because such data may describe anything.

constexpr std::array<std::string_view, 10> publication_keys{
    "datePublished", "date_published", "publishedDate", "publishDate", "published_at",
    "publishedAt",   "pubDate",        "publishTime",   "publishdate", "firstPublished"};

// Returns the value after a key in JSON, JavaScript, or JSON in a string: `": "2024-03-05"`, `\":\"2024-03-05`, `:
// 1709632800`.
std::string_view value_after(std::string_view text) {
  constexpr std::size_t max_bytes = 40;
  const auto skip = [&](std::string_view signs) {
    while (!text.empty() && signs.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  };
  text = text.substr(0, max_bytes);
  skip("\\\"'");
  skip(" ");
  if (!text.starts_with(':')) return {};
  skip(": \\\"'");
  return text.substr(0, text.find_first_of("\\\"',}<"));
}

// Appends the dates that are values of a key.
void find_dates_of_key(std::string_view text, std::string_view key, const Page& page, std::vector<WrittenDate>& dates) {
  constexpr std::size_t max_found = 50;
  for (std::size_t at = text.find(key); at != std::string_view::npos && dates.size() < max_found;
       at = text.find(key, at + key.size())) {
    if (at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'' && text[at - 1] != ',' && text[at - 1] != '{'))
      continue;
    const std::string_view value = value_after(text.substr(at + key.size()));
    auto date = parse_written_date(value, page.day_order);
    if (!date) date = date_from_unix_time(value, 0);
    if (date && date->has_day() && is_plausible(*date, page.now)) dates.push_back(*date);
  }
}

void add_dates_of_scripts(const Page& page, Candidates& candidates) {
  constexpr std::size_t max_script = std::size_t{256} << 10;
  constexpr double trust = 0.25;
  const bool is_dated = std::ranges::any_of(
      candidates.published, [](const auto& candidate) { return candidate.trust > trust && candidate.value.has_day(); });
  if (is_dated) return;
  std::vector<WrittenDate> dates;
  for (const EmbeddedScript& script : page.document.scripts()) {
    if (script.type == "application/ld+json") continue;
    for (const std::string_view key : publication_keys)
      find_dates_of_key(std::string_view(script.text).substr(0, max_script), key, page, dates);
  }
  // Different days belong to a list.
  const bool one_day = !dates.empty() && std::ranges::all_of(dates, [&](const WrittenDate& date) {
    return date.same_day(dates.front());
  });
  if (one_day) add(candidates.published, dates.front(), "state", trust);
}

// The order of day and month on a page: 3/4/2024 is the third of April or the fourth of March.

// Reads a number of one or two digits at `at` and moves past it. Returns 0 if there is none.
int short_number(std::string_view text, std::size_t& at) {
  int value = 0;
  std::size_t digits = 0;
  while (at < text.size() && is_ascii_digit(text[at]) && digits < 3) {
    value = value * 10 + (text[at] - '0');
    ++at;
    ++digits;
  }
  return digits == 0 || digits > 2 ? 0 : value;
}

struct DayOrderEvidence {
  std::size_t day_first = 0;    // 23/4/2024
  std::size_t month_first = 0;  // 4/23/2024
  // Each form in which the page may write the two readings of 3/4/2024, for the first few such dates.
  struct Ambiguous {
    std::vector<std::string> day_first;
    std::vector<std::string> month_first;
    bool operator==(const Ambiguous&) const = default;
  };
  std::vector<Ambiguous> ambiguous = {};

  bool is_undecided() const { return day_first == month_first; }
  DayOrder order() const { return day_first > month_first ? DayOrder::day_first : DayOrder::month_first; }
  void count(int first, int second) {
    if (first > 12 && first <= 31 && second <= 12) ++day_first;
    if (second > 12 && second <= 31 && first <= 12) ++month_first;
  }
};

// Returns the forms that have only one reading: 2024-03-05, "5 March 2024", "March 5, 2024". The names are English,
// because the other languages write the day first.
std::vector<std::string> clear_forms(std::string_view year, int month, int day) {
  static constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                           "May",       "June",     "July",     "August",
                                                           "September", "October",  "November", "December"};
  const std::string_view name = months[static_cast<std::size_t>(month) - 1];
  return {fmt::format("{}-{:02}-{:02}", year, month, day), fmt::format(" {} {} {}", day, name, year),
          fmt::format("{} {}, {}", name, day, year)};
}

// The dates of a page with four and with two digits of the year.
struct NumericDates {
  DayOrderEvidence full;
  DayOrderEvidence shortened;
};

// Reads a date whose first separator is at `separator`, after the first character: 3/4/2024, 3 / 4 / 2024, 3-4-2024,
// 3/4/24.
void count_date(std::string_view text, std::size_t separator, NumericDates& dates) {
  constexpr std::size_t max_ambiguous = 4;
  const char sign = text[separator];
  const auto skip_space = [&](std::size_t& at) {
    if (at < text.size() && text[at] == ' ') ++at;
  };
  const std::size_t end = text[separator - 1] == ' ' ? separator - 1 : separator;
  std::size_t begin = end;
  while (begin > 0 && end - begin < 3 && is_ascii_digit(text[begin - 1])) --begin;
  if (begin == end || end - begin > 2) return;
  // The number continues a path, a name or another number.
  if (begin > 0 && (text[begin - 1] == '/' || text[begin - 1] == '=' || text[begin - 1] == sign)) return;
  if (begin > 0 && sign == '-' && is_ascii_alphanumeric(text[begin - 1])) return;
  std::size_t at = begin;
  const int first = short_number(text, at);
  at = separator + 1;
  skip_space(at);
  const int second = short_number(text, at);
  skip_space(at);
  if (first < 1 || second < 1 || at >= text.size() || text[at] != sign) return;
  ++at;
  skip_space(at);
  const std::string_view rest = text.substr(at, 5);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 2 && sign == '/' && (rest.size() == 2 || rest[2] != '/')) dates.shortened.count(first, second);
  if (digits != 4 || (!rest.starts_with("20") && !rest.starts_with("19"))) return;
  dates.full.count(first, second);
  std::vector<DayOrderEvidence::Ambiguous>& ambiguous = dates.full.ambiguous;
  if (first > 12 || second > 12 || first == second || ambiguous.size() >= max_ambiguous) return;
  const std::string_view year = rest.substr(0, 4);
  DayOrderEvidence::Ambiguous one{clear_forms(year, second, first), clear_forms(year, first, second)};
  if (std::ranges::find(ambiguous, one) == ambiguous.end()) ambiguous.push_back(std::move(one));
}

void count_dates(std::string_view text, NumericDates& dates) {
  for (const char sign : {'/', '-'}) {
    for (std::size_t at = text.find(sign, 1); at != std::string_view::npos; at = text.find(sign, at + 1)) {
      const std::size_t before = at - (text[at - 1] == ' ' && sign == '/' && at > 1 ? 2 : 1);
      if (is_ascii_digit(text[before])) count_date(text, at, dates);
    }
  }
}

// Counts the readings of ambiguous dates that the page also has in a clear form. Used if no date has only one reading.
void count_clear_forms(std::string_view text, DayOrderEvidence& evidence) {
  const auto has_any = [&](const std::vector<std::string>& forms) {
    return std::ranges::any_of(forms,
                               [&](const std::string& form) { return text.find(form) != std::string_view::npos; });
  };
  for (const DayOrderEvidence::Ambiguous& one : evidence.ambiguous) {
    if (has_any(one.day_first)) ++evidence.day_first;
    if (has_any(one.month_first)) ++evidence.month_first;
  }
}

// Returns the language of a page in lower case, "en-us" if an <html> element has none, and an empty text without one.
std::string language_of(const HtmlDocument& document) {
  for (const HtmlElement element : document.elements()) {
    if (element.name() != "html") continue;
    auto stated = element.attribute("lang");
    if (!stated) stated = element.attribute("xml:lang");
    return to_ascii_lower(stated.value_or("en-us"));
  }
  return {};
}

}  // namespace

std::optional<WrittenDate> date_in_path(std::string_view path) {
  for (std::size_t at = 1; at < path.size(); ++at) {
    if (!is_ascii_digit(path[at]) || is_ascii_digit(path[at - 1]) || is_ascii_letter(path[at - 1])) continue;
    if (const auto date = date_at(path, at)) return date;
  }
  return std::nullopt;
}

DayOrder find_day_month_order(const HtmlDocument& document, const Url* url) {
  NumericDates dates;
  count_dates(document.source(), dates);
  count_dates(document.detached_values(), dates);
  DayOrderEvidence& evidence = dates.full;
  if (evidence.is_undecided() && !evidence.ambiguous.empty()) {
    count_clear_forms(document.source(), evidence);
    count_clear_forms(document.detached_values(), evidence);
    for (const EmbeddedScript& script : document.scripts()) count_clear_forms(script.text, evidence);
  }
  if (!evidence.is_undecided()) return evidence.order();
  const std::string language = language_of(document);
  for (const std::string_view east : {"zh", "ja", "ko"}) {
    if (language.starts_with(east)) return DayOrder::year_first;
  }
  if (!dates.shortened.is_undecided()) return dates.shortened.order();
  // American English writes the month first; most others write the day first.
  if (url != nullptr) {
    const std::string_view host = url->host();
    for (const std::string_view suffix : {".uk", ".au", ".nz", ".in", ".ie", ".za", ".sg", ".my", ".hk", ".eu"}) {
      if (host.ends_with(suffix)) return DayOrder::day_first;
    }
  }
  return language.empty() || language == "en" || language.starts_with("en-us") || language.starts_with("en_us")
             ? DayOrder::month_first
             : DayOrder::day_first;
}

void extract_page_dates(const Page& page, Candidates& candidates) {
  add_date_of_address(page, candidates);
  add_marked_dates(page, candidates);
  add_visible_dates(page, candidates);
  add_dates_of_scripts(page, candidates);
}

}  // namespace linkherd::parser
