#include "parser/metadata/authors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/html/html_document.h"
#include "parser/metadata/byline_words.h"
#include "parser/metadata/credits.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/no_names.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// The vocabulary of bylines.

// clang-format off
// Words of the user interface that come before or after a name: "View all posts by Jane Doe", "Jane Doe Published".
constexpr std::array<std::string_view, 33> interface_words{
    "view", "see", "more", "all", "posts", "post", "articles", "article", "stories", "story", "written", "posted",
    "published", "updated", "modified", "created", "reported", "submitted", "authored", "compiled", "words", "text", "share",
    "shares", "via", "by", "on", "发布于", "发布时间", "时间", "日期", "关注", "기자",
};

constexpr std::array<std::string_view, 15> han_byline_prefixes{
    "原创作者", "本文作者", "文章作者", "作者", "撰文", "记者", "記者", "文/", "文丨", "文|",
    "著者 ", "執筆者 ", "執筆 ", "ライター ", "投稿者 ",
};

// Placeholders for a name, as normalized letters in lower case (see extract_letters).
constexpr std::array<std::string_view, 98> placeholder_names{
    "admin", "administrator", "author", "authors", "autor", "anonymous", "anonym", "unknown", "guest", "none",
    "null", "undefined", "name", "test", "theauthor", "editor", "editors", "staff", "webmaster", "redaction", "redazione",
    "redacción", "redacao", "redação", "user", "username", "root", "default", "na", "writer", "contributor",
    "superuser", "website", "home", "facebook", "twitter", "instagram", "linkedin", "email", "share", "follow",
    "follows", "匿名", "佚名", "未知", "管理员", "noauthor", "publisher", "anónimo", "anonimo", "von",
    "people", "agencies", "nachrichten", "quelle", "red", "zvg", "pm", "pd",
    "contributorstowikimediaprojects", "维基媒体项目贡献者", "維基媒體專案貢獻者", "autorenderwikimediaprojekte", "thisauthor",
    "topic", "starter", "thread", "contributors", "community", "datum", "date", "full", "bio", "profile", "about",
    "this", "subscribe", "sponsored", "content", "contributing", "breaking", "reading", "time", "managing", "senior",
    "associate", "assistant", "chief", "reporter", "correspondent", "columnist", "freelance", "poster", "moderator", "al",
    "etal", "read", "分享到",
};
// clang-format on

constexpr std::size_t max_name = 80;  // code points

// Returns true for a word in lower case inside a name.
bool is_particle(std::string_view word) {
  static constexpr std::array<std::string_view, 27> particles{
      "de", "da",  "di",  "del", "della", "von", "van", "der", "den", "la",   "le",  "du",  "bin", "al",
      "el", "dos", "das", "do",  "af",    "av",  "zu",  "ten", "ter", "bint", "ibn", "ben", "het"};
  return is_one_of(particles, word);
}

std::string_view trim_signs(std::string_view text) {
  static constexpr std::array<std::string_view, 24> signs{" ", ":",  "：", "-",  "–", "—", "|", "/",
                                                          ",", "，", ";",  "·",  "•", "*", ".", "。",
                                                          "~", ">",  "<",  "\"", "»", "«", "@", "＠"};
  bool trimmed = true;
  while (trimmed && !text.empty()) {
    trimmed = false;
    for (const std::string_view sign : signs) {
      if (text.starts_with(sign)) {
        text.remove_prefix(sign.size());
        trimmed = true;
      }
      // The period after "Jr." or an initial belongs to the name.
      if (text.ends_with(sign) && sign != "." && sign != "@") {
        text.remove_suffix(sign.size());
        trimmed = true;
      }
    }
  }
  return text;
}

std::string_view drop_prefixes(std::string_view text) {
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = text.size();
    const BylineWord word = find_byline_word(text);
    if (word.is_introduction() || (word && word.is_unambiguous)) text = trim_signs(text.substr(word.end));
    // Two elements without a space between them: "ByJane Doe".
    if (text.size() > 3 && text.starts_with("By") && text[2] >= 'A' && text[2] <= 'Z') text.remove_prefix(2);
    for (const std::string_view prefix : han_byline_prefixes) {
      if (text.starts_with(prefix)) text = trim_signs(text.substr(prefix.size()));
    }
    if (text.size() == before) break;
  }
  return text;
}

// Removes the mark of a poster beside the name: "bob Topic Author", "小鱼儿 楼主".
std::string_view without_badge(std::string_view text) {
  static constexpr std::array<std::string_view, 18> badges{
      "topic author",  "thread author",   "post author",     "topic starter", "thread starter", "original poster",
      "themenstarter", "themenersteller", "auteur du sujet", "автор темы",    "topikstarter",   "トピ主",
      "site admin",    "administrator",   "moderator",       "楼主",          "樓主",           "版主"};
  for (const std::string_view badge : badges) {
    const std::size_t rest = text.size() - std::min(text.size(), badge.size());
    if (rest == 0) continue;
    if (text[rest - 1] == ' ' && equals_ignoring_case(text.substr(rest), badge))
      return trim_signs(text.substr(0, rest));
    if (text[badge.size()] == ' ' && starts_ignoring_case(text, badge)) return trim_signs(text.substr(badge.size()));
  }
  return text;
}

// Removes the place and the kind of a report: "王小明／台北報導".
std::string_view without_report_note(std::string_view text) {
  for (const std::string_view sign : {"／", "/"}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    for (const std::string_view kind : {"報導", "报道", "報道", "报导"}) {
      if (text.ends_with(kind)) return text.substr(0, at);
    }
  }
  return text;
}

}  // namespace

std::string_view before_korean_role(std::string_view text) {
  constexpr std::size_t min_name_bytes = 6;
  constexpr std::size_t max_name_bytes = 12;
  static constexpr std::array<std::string_view, 6> roles{"기자",     "특파원",   "선임기자",
                                                         "인턴기자", "객원기자", "논설위원"};
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || space < min_name_bytes || space > max_name_bytes) return {};
  const std::string_view rest = text.substr(space + 1);
  const bool is_role = std::ranges::any_of(roles, [&](std::string_view role) { return rest.starts_with(role); });
  const std::string_view name = text.substr(0, space);
  return is_role && name.find_first_of("0123456789") == std::string_view::npos ? name : std::string_view();
}

namespace {

// Returns the names after the role: "本报记者 王乐文 方 敏" has a publisher, a role and two names. Short names have a
// space inside.
std::string name_after_reporter(std::string_view text) {
  constexpr std::size_t max_publisher_bytes = 30;  // bytes
  static constexpr std::array<std::string_view, 6> roles{"记者", "記者", "评论员", "評論員", "通讯员", "撰稿人"};
  for (const std::string_view role : roles) {
    const std::size_t at = text.find(role);
    if (at > max_publisher_bytes || text.substr(0, at).find(' ') != std::string_view::npos) continue;
    std::string names;
    std::size_t letters = 0;  // letters of the word before the space
    std::string_view rest = trim_signs(without_report_note(text.substr(at + role.size())));
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, end);
      const std::size_t size = count_code_points(word);
      if (!names.empty()) names += letters == 1 && size == 1 ? "" : "、";
      names += word;
      letters = letters == 1 ? 0 : size;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names;
  }
  // The role follows the name in Korean.
  const std::string_view name = before_korean_role(text);
  return std::string(name.empty() ? text : name);
}

std::string_view trim_interface_words(std::string_view name) {
  const auto is_known = [](std::string_view word) { return is_one_of(interface_words, to_ascii_lower(word)); };
  while (!name.empty()) {
    const std::string_view first = name.substr(0, name.find(' '));
    const std::string_view last = name.substr(name.rfind(' ') + 1);
    if (is_known(trim_signs(first))) {
      name = trim_signs(name.substr(first.size()));
    } else if (last != "on" && last != "On" && is_known(trim_signs(last))) {
      name = trim_signs(name.substr(0, name.size() - last.size()));
    } else {
      break;
    }
  }
  return name;
}

// Removes a section, a kind of text or a greeting before the name: "sport von Jane Doe", "Opinion by Jane Doe".
std::string_view cut_lead(std::string_view text) {
  constexpr std::size_t max_words = 3;
  if (text.empty()) return text;
  const bool lower_case = text.front() >= 'a' && text.front() <= 'z';
  for (const std::string_view word : {" by ", " von ", " par ", " por "}) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view lead = text.substr(0, at);
    // "von" may be part of a name, and a comma divides names.
    const bool is_lead = word == " by " && count_words(lead) <= max_words && lead.find(',') == std::string_view::npos;
    const std::string_view name = text.substr(at + word.size());
    // "jane von doe" is written in lower case.
    const bool is_name_lower = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
    if ((lower_case && !is_name_lower) || is_lead) return name;
  }
  // An unknown word in lower case before a name. A name with an article is that of an organisation.
  const std::size_t space = text.find(' ');
  if (lower_case && space != std::string_view::npos && text.substr(0, space) != "the" &&
      !is_particle(text.substr(0, space)) && is_full_name(text.substr(space + 1)))
    return text.substr(space + 1);
  return text;
}

// Returns true for a word in parentheses inside a name: "Jane (Janie) Doe".
bool is_inside_name(std::string_view text, std::size_t open) {
  const std::size_t close = text.find(')', open);
  if (text[open] != '(' || close == std::string_view::npos || close + 2 >= text.size()) return false;
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return inside.find(' ') == std::string_view::npos && !inside.empty() && is_capital(inside.front()) &&
         text[close + 1] == ' ' && is_capital(text[close + 2]) && open > 1 && is_ascii_letter(text[open - 2]);
}

// Cuts a byline at the first text that cannot follow a name: an address, a location, a title.
std::string_view cut_tail(std::string_view text) {
  static constexpr std::array<std::string_view, 15> tails{
      " | ", " • ", " · ", " – ",  " — ",          " » ",          " on ",        " in ",
      "(",   " [",  " @",  " // ", " Special to ", " special to ", " SPECIAL TO "};
  for (const std::string_view tail : tails) {
    const std::size_t at = text.find(tail);
    if (at != std::string_view::npos && at > 0 && !is_inside_name(text, at)) text = text.substr(0, at);
  }
  return text;
}

// Removes a date after the names, and the words before the date: "Jane Doe am Montag, 5. März 2024", "Jane Doe
// Thursday", "Jane Doe 5 days ago".
std::string_view cut_date(std::string_view text) {
  static constexpr std::array<std::string_view, 49> leading{"last",       "stand",        "mon",       "tue",
                                                            "wed",        "thu",          "fri",       "sat",
                                                            "sun",        "am",           "on",        "um",
                                                            "at",         "le",           "den",       "vom",
                                                            "el",         "il",           "published", "updated",
                                                            "posted",     "monday",       "tuesday",   "wednesday",
                                                            "thursday",   "friday",       "saturday",  "sunday",
                                                            "montag",     "dienstag",     "mittwoch",  "donnerstag",
                                                            "freitag",    "samstag",      "sonntag",   "lundi",
                                                            "mardi",      "mercredi",     "jeudi",     "vendredi",
                                                            "samedi",     "dimanche",     "dated",     "veröffentlicht",
                                                            "erschienen", "aktualisiert", "publié",    "publicado",
                                                            "pubblicato"};
  std::size_t cut = text.size();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (is_ascii_digit(text[at]) && text[at - 1] == ' ') {
      cut = at;
      break;
    }
  }
  if (const auto dates = find_dates(text, DayOrder::day_first, 1); !dates.empty() && dates.front().begin > 0) {
    cut = std::min(cut, dates.front().begin);
  }
  if (cut == text.size()) return text;
  text = trim_signs(text.substr(0, cut));
  for (int words = 0; words < 3; ++words) {
    const std::size_t space = text.rfind(' ');
    const std::string last = to_ascii_lower(space == std::string_view::npos ? text : text.substr(space + 1));
    if (std::ranges::find(leading, std::string_view(last)) == leading.end() && month_by_name(last) == 0) break;
    text = trim_signs(text.substr(0, space == std::string_view::npos ? 0 : space));
  }
  return text;
}

// The person named after one of these did not write the page.
// clang-format off
constexpr std::array<std::string_view, 48> other_roles{
    "illustrated by", "illustration by", "illustrations by", "translated by", "sponsored by", "presented by",
    "powered by", "produced by", "directed by", "image by", "images by", "video by", "photographer:", "фото:",
    "fotó:", "reviewed by", "edited by", "checked by", "photo by", "photos by", "photography by", "photograph by",
    "photographs by", "photo:", "photos:", "foto:", "fotos:", "image:", "bild:", "data analysis by", "verified by",
    "approved by", "fact check by", "fact-check by", "geprüft von", "überprüft von", "relu par", "vérifié par",
    "revisado por", "verificado por", "revisto por", "revisionato da", "gecontroleerd door", "tested by", "styled by",
    "designed by", "supported by", "sold by",
};
// clang-format on

std::string_view before_other_roles(std::string_view text) {
  std::size_t first = text.size();
  // "Words and photos by Jane Doe" names the author.
  const BylineWord introduction = find_byline_word(text);
  for (std::size_t at = introduction.is_introduction() ? introduction.end : 0; at + 5 <= text.size(); ++at) {
    const bool is_start = at == 0 || !is_ascii_letter(text[at - 1]);
    if (!is_start || std::ranges::none_of(other_roles, [&](std::string_view role) {
          return starts_ignoring_case(text.substr(at), role);
        }))
      continue;
    first = at;
    break;
  }
  if (first == text.size()) return text;
  // The label may begin earlier: "Medically reviewed by", "Fact-checked by".
  text = text.substr(0, first);
  while (!text.empty() && (text.back() == '-' || text.back() == ' ')) text.remove_suffix(1);
  for (const std::string_view word : {"medically", "fact", "clinically", "expert"}) {
    const bool has_word =
        text.size() >= word.size() && equals_ignoring_case(text.substr(text.size() - word.size()), word);
    if (has_word) text.remove_suffix(word.size());
  }
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool is_degree_or_office(std::string_view part) {
  static constexpr std::array<std::string_view, 33> offices{
      "educator",     "specialist", "analyst", "consultant", "coordinator",   "advisor",   "journalist",
      "producer",     "strategist", "editor",  "reporter",   "correspondent", "officer",   "director",
      "president",    "head of",    "writer",  "chief",      "manager",       "professor", "redakteur",
      "contributor",  "founder",    "ceo",     "special to", "correspondant", "freelance", "columnist",
      "photographer", "fotograf",   "leiter",  "reportero",  "redactor"};
  const bool degree = part.size() <= 5 && part.size() >= 2 &&
                      std::ranges::none_of(part, [](char c) { return c != '.' && !is_ascii_letter(c); }) &&
                      std::ranges::count_if(part, [](char c) { return c >= 'A' && c <= 'Z'; }) >= 2;
  return degree ||
         std::ranges::any_of(offices, [&](std::string_view office) { return contains_ignoring_case(part, office); });
}

namespace {

// Returns true if every word is a placeholder, as in "Facebook Twitter" and "Guest Author".
bool is_placeholder(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string letters = extract_letters(text.substr(0, end));
    if (!letters.empty() && !is_one_of(placeholder_names, letters)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool is_name(std::string_view text, const std::vector<std::string>& not_names) {
  if (text.empty() || count_code_points(text) > max_name || !contains_letter(text)) return false;
  if (text.find("://") != std::string_view::npos || starts_ignoring_case(text, "www.")) return false;
  if (text.find('@') != std::string_view::npos || text.find("{{") != std::string_view::npos) return false;
  if (text.find(": ") != std::string_view::npos || contains_ignoring_case(text, "[at]")) return false;
  if (is_ascii_digit(text.front()) && text.find(' ') != std::string_view::npos) return false;
  // Organisations and their departments.
  for (const std::string_view word : {"copyright", "gmbh", "all rights", "e.v.", "_team", "-redaktion", " redaktion",
                                      "sekretariat", "staff reports"}) {
    if (contains_ignoring_case(text, word)) return false;
  }
  if (text.ends_with('!') || text.ends_with('?')) return false;    // the title of a work
  if (text.ends_with("...") || text.ends_with("…")) return false;  // a link to more
  // A label and its value.
  if (const std::size_t colon = text.find("："); colon != std::string_view::npos && text.find(' ') > colon)
    return false;
  // Organisations that are credited but are not authors.
  for (const std::string_view word : {"verband", "abteilung", "feuerwehr", "ministerium", "stiftung", "department of",
                                      "foundation", "association", "bündnis"}) {
    if (contains_ignoring_case(text, word)) return false;
  }
  const std::string letters = extract_letters(text);
  return !is_one_of(placeholder_names, letters) && !is_placeholder(text) && !is_one_of(not_names, letters) &&
         !is_no_name(text);
}

// Removes the marks of footnotes: "Jane Doe1".
std::string_view without_footnote(std::string_view name) {
  std::string_view text = name;
  while (!text.empty() && (is_ascii_digit(text.back()) || text.back() == '*')) text.remove_suffix(1);
  text = trim_ascii(text);
  return text.size() < name.size() && is_full_name(text) ? text : name;
}

// Returns true if a word of the name has no lower-case letter, as in the names of agencies: "MTN News".
bool has_initialism(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find(' '), name.size());
    const std::string_view word = name.substr(0, end);
    if (word.size() > 1 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; })) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// Divides "Jane Doe/John Roe" into two people, and "Jane Doe/MTN News" into a person and an agency, which is dropped.
std::vector<std::string> divide_at_slash(std::string_view name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string_view first = trim_ascii(name.substr(0, slash));
  if (slash == name.size() || !is_full_name(first)) return {std::string(name)};
  const std::string_view second = trim_ascii(name.substr(slash + 1));
  if (!is_full_name(second) || (has_initialism(second) && !has_initialism(first))) return {std::string(first)};
  return {std::string(first), std::string(second)};
}

// Returns the position and length of the next separator in a list of names.
std::pair<std::size_t, std::size_t> find_divider(std::string_view text) {
  static constexpr std::array<std::string_view, 16> dividers{",",   ";",     "、",   "，",     "；",  " and ",
                                                             " & ", " und ", " et ", " with ", " / ", " | ",
                                                             " y ", " och ", " og ", " e "};
  std::pair<std::size_t, std::size_t> first{std::string_view::npos, 0};
  for (const std::string_view divider : dividers) {
    if (const std::size_t at = text.find(divider); at < first.first) first = {at, divider.size()};
  }
  return first;
}

}  // namespace

bool ends_with_other_role(std::string_view text) {
  const std::string_view trimmed = trim_signs(trim_ascii(text));
  return std::ranges::any_of(other_roles, [&](std::string_view role) {
    return trimmed.size() >= role.size() && equals_ignoring_case(trimmed.substr(trimmed.size() - role.size()), role);
  });
}

std::string clean_name(std::string_view text) {
  const std::string collapsed = clean_value(text, max_name * 4);
  const std::string_view name = trim_interface_words(trim_signs(drop_prefixes(without_badge(trim_signs(collapsed)))));
  return is_name(name, {}) ? std::string(name) : std::string();
}

std::vector<std::string> names_in_byline(std::string_view text, const std::vector<std::string>& not_names) {
  const std::string collapsed = clean_value(text, 1000);
  if (is_no_name(collapsed)) return {};
  // People with other roles are not authors: "张三 责编：李四". A credited value has no further labels.
  if (const std::vector<Credit> credits = find_credits(collapsed); !credits.empty()) {
    std::vector<std::string> authors;
    if (credits.front().begin > 0)
      authors = names_in_byline(std::string_view(collapsed).substr(0, credits.front().begin), not_names);
    for (const Credit& credit : credits) {
      if (credit.role == CreditRole::author) add_names(authors, names_in_byline(credit.text, not_names));
    }
    return authors;
  }
  const std::string name_after_role = name_after_reporter(collapsed);
  const std::string_view own = before_other_roles(name_after_role);
  std::string_view rest = cut_date(cut_tail(cut_lead(drop_prefixes(without_badge(trim_signs(own))))));
  std::vector<std::string> names;
  bool after_office = false;
  bool after_text = false;  // after a name, or after a place: "Washington, D.C."
  while (!rest.empty() && names.size() < max_authors) {
    const auto [at, length] = find_divider(rest);
    std::string_view name = trim_interface_words(trim_signs(drop_prefixes(trim_signs(rest.substr(0, at)))));
    if (name.find(": ") != std::string_view::npos) return {};  // labels and values, not names
    name = without_role(without_footnote(name));
    const bool addition = after_text && is_degree_or_office(name);
    after_office = after_office || addition;
    // An office may go on: "Senior Director, Content & Marketing".
    const bool is_next = !after_office || is_full_name(name);
    if (is_name(name, not_names) && !addition && is_next) add_names(names, divide_at_slash(name));
    after_text = !names.empty() || is_no_name(name);
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at + length);
  }
  return names;
}

bool has_particle_inside(std::string_view name) {
  const std::size_t begin = name.find(' ') + 1;  // 0 for a single word
  const std::size_t end = begin == 0 ? std::string_view::npos : name.find(' ', begin);
  return end != std::string_view::npos && is_particle(name.substr(begin, end - begin));
}

bool ends_with_particle(std::string_view name) { return is_particle(name.substr(name.rfind(' ') + 1)); }

bool looks_like_person(std::string_view name) {
  std::size_t words = 0;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const CodePoint first = decode_utf8(rest, 0);
    const auto letter = static_cast<UChar32>(first.value);
    const bool particle = words > 0 && is_particle(rest.substr(0, end));
    // Scripts without capital letters are accepted.
    const bool is_georgian = letter >= 0x10D0 && letter <= 0x10FF;  // has no capitals in common texts
    if (u_islower(letter) != 0 && !particle && !is_georgian) return false;
    if (u_isalpha(letter) == 0) return false;
    ++words;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words >= 1 && words <= 4 && (words > 1 || name.size() <= 24);
}

std::string swap_last_first(std::string_view name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos || name.find(',', comma + 1) != std::string_view::npos) return clean_name(name);
  const std::string last = clean_name(name.substr(0, comma));
  const std::string first = clean_name(name.substr(comma + 1));
  return clean_name(first + " " + last);
}

void add_names(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (names.size() >= max_authors) return;
    const std::string letters = extract_letters(name);
    const bool known =
        std::ranges::any_of(names, [&](const std::string& other) { return extract_letters(other) == letters; });
    if (!known) names.push_back(name);
  }
}

namespace {

constexpr std::size_t max_run = 200;  // bytes that are read of a text node

// Appends the text nodes of an element, up to `max` of them.
void collect_texts(const GumboNode* node, std::size_t max, std::vector<std::string>& texts) {
  if (texts.size() >= max) return;
  if (node->type == GUMBO_NODE_TEXT) {
    std::string text = collapse_spaces(truncate_utf8(node->v.text.text, max_run));
    if (contains_letter(text)) texts.push_back(std::move(text));
  } else if (node->type == GUMBO_NODE_ELEMENT) {
    const GumboVector& children = node->v.element.children;
    for (unsigned i = 0; i < children.length; ++i)
      collect_texts(static_cast<const GumboNode*>(children.data[i]), max, texts);
  }
}

// Returns true for a few Han characters, possibly with Latin letters and digits: a name or an account.
bool is_han_name(std::string_view name) {
  constexpr std::size_t max_bytes = 12;
  std::size_t size = 0;
  bool has_han = false;
  for (std::size_t at = 0; at < name.size(); ++size) {
    const CodePoint point = decode_utf8(name, at);
    const bool is_han = point.value >= 0x4E00 && point.value <= 0x9FFF;
    if (!is_han && !is_ascii_alphanumeric(name[at])) return false;
    has_han = has_han || is_han;
    at += point.length;
  }
  return has_han && size > 1 && size <= max_bytes;
}

// Returns true if the class or property of the element marks a part of a name, such as the surname.
bool is_part_of_name(const GumboNode* node) {
  if (node->type != GUMBO_NODE_ELEMENT) return false;
  static constexpr std::array<std::string_view, 12> words{"firstname",  "lastname", "surname", "givenname",
                                                          "familyname", "first",    "last",    "given",
                                                          "family",     "fname",    "lname",   "forename"};
  const auto is_known = [](std::string_view word) { return is_one_of(words, word); };
  const HtmlElement element(node);
  return has_word(element.attribute("class").value_or(""), is_known) ||
         has_word(element.attribute("itemprop").value_or(""), is_known);
}

bool has_parts_of_name(HtmlElement element) {
  const GumboVector& children = element.node()->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (is_part_of_name(child)) return true;
  }
  return false;
}

// Returns true for a name that an initial ends: "Jane D." is only the beginning of a name.
bool ends_with_initial(std::string_view name) {
  return name.size() > 3 && name.ends_with('.') && is_ascii_letter(name[name.size() - 2]) &&
         name[name.size() - 3] == ' ';
}

// Returns the first name in an element if `whole` is that name and more. A job title, a location or a second name may
// follow it, each in an element of its own.
std::vector<std::string> first_name_of(HtmlElement element, const std::vector<std::string>& whole) {
  constexpr std::size_t max_texts = 4;
  std::vector<std::string> texts;
  collect_texts(element.node(), max_texts, texts);
  if (texts.size() < 2 || has_parts_of_name(element)) return whole;
  for (const std::string& text : texts) {
    std::vector<std::string> names = names_in_byline(text, {});
    if (names.empty()) continue;
    const bool goes_on = names.size() == 1 && (is_full_name(names.front()) || is_han_name(names.front())) &&
                         !ends_with_initial(names.front()) && names.front().size() < whole.front().size() &&
                         whole.front().find(names.front()) != std::string::npos;
    return goes_on ? names : whole;
  }
  return whole;
}

}  // namespace

bool is_full_name(std::string_view name) { return count_words(name) > 1 && looks_like_person(name); }

namespace {

// Returns the name in the first of several parts of an element. The other parts may have labels and values.
std::vector<std::string> first_part_name(HtmlElement element) {
  constexpr std::size_t max_texts = 2;
  std::vector<std::string> texts;
  collect_texts(element.node(), max_texts, texts);
  if (texts.size() < 2) return {};
  std::vector<std::string> names = names_in_byline(texts.front(), {});
  if (names.size() != 1 || (!is_full_name(names.front()) && !is_han_name(names.front()))) return {};
  return names;
}

}  // namespace

std::string text_before_date(HtmlElement element) {
  const GumboVector& children = element.node()->v.element.children;
  std::string text;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type == GUMBO_NODE_TEXT) {
      text += child->v.text.text;
    } else if (child->type == GUMBO_NODE_WHITESPACE) {
      text += ' ';
    } else if (child->type == GUMBO_NODE_ELEMENT) {
      const auto is_date_word = [](std::string_view word) {
        return word == "date" || word == "time" || word == "datetime";
      };
      const bool is_date =
          child->v.element.tag == GUMBO_TAG_TIME || class_or_id_has_word(HtmlElement(child), is_date_word);
      if (is_date && contains_letter(text)) return collapse_spaces(text);
      text += HtmlElement(child).text();
    }
  }
  return {};
}

std::vector<std::string> names_in_element(HtmlElement element) {
  std::string text = text_before_date(element);
  if (text.empty()) text = element.text();
  const std::vector<std::string> names = names_in_byline(text, {});
  if (names.empty()) return first_part_name(element);
  // An element that is marked as a name has nothing else.
  const bool is_name = element.attribute("itemprop").value_or("").ends_with("name");
  return names.empty() || is_name ? names : first_name_of(element, names);
}

}  // namespace linkherd::parser
