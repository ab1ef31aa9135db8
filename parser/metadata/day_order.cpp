// Whether 3/4/2024 on a page is the third of April or the fourth of March.
#include <array>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {
namespace {

// A number of one or two digits at `at`, which moves behind it; 0 where there is none.
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

struct Witnesses {
  std::size_t day_first = 0;    // 23/4/2024
  std::size_t month_first = 0;  // 4/23/2024
};

// One pass over the page: every date with slashes that can be read in one way only.
void count_witnesses(std::string_view text, Witnesses& witnesses) {
  for (std::size_t slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/', slash + 1)) {
    std::size_t begin = slash;
    while (begin > 0 && slash - begin < 3 && is_ascii_digit(text[begin - 1])) --begin;
    if (begin == slash || slash - begin > 2 || (begin > 0 && (text[begin - 1] == '/' || text[begin - 1] == '=')))
      continue;
    std::size_t at = begin;
    const int first = short_number(text, at);
    ++at;
    const int second = short_number(text, at);
    if (first < 1 || second < 1 || at + 4 >= text.size() || text[at] != '/') continue;
    const bool year = (text.substr(at + 1, 2) == "20" || text.substr(at + 1, 2) == "19") &&
                      is_ascii_digit(text[at + 3]) && is_ascii_digit(text[at + 4]);
    if (!year) continue;
    if (first > 12 && first <= 31 && second <= 12) ++witnesses.day_first;
    if (second > 12 && second <= 31 && first <= 12) ++witnesses.month_first;
  }
}

}  // namespace

DayOrder order_of_day_and_month(const HtmlDocument& document, const Url* url) {
  Witnesses witnesses;
  count_witnesses(document.source(), witnesses);
  count_witnesses(document.put_aside_values(), witnesses);
  if (witnesses.day_first > witnesses.month_first) return DayOrder::day_first;
  if (witnesses.month_first > witnesses.day_first) return DayOrder::month_first;
  // American English writes 3/4/2024 for the fourth of March; nearly everybody else means the third of April.
  if (url != nullptr) {
    const std::string_view host = url->host();
    for (const std::string_view suffix : {".uk", ".au", ".nz", ".in", ".ie", ".za", ".sg", ".my", ".hk", ".eu"}) {
      if (host.ends_with(suffix)) return DayOrder::day_first;
    }
  }
  for (const HtmlElement element : document.elements()) {
    if (element.name() != "html") continue;
    auto stated = element.attribute("lang");
    if (!stated) stated = element.attribute("xml:lang");
    const std::string language = to_ascii_lower(stated.value_or("en-us"));
    return language == "en" || language.starts_with("en-us") || language.starts_with("en_us") ? DayOrder::month_first
                                                                                              : DayOrder::day_first;
  }
  return DayOrder::month_first;
}

}  // namespace linkherd::parser
