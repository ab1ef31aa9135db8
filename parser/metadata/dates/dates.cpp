#include "parser/metadata/dates/dates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/metadata/dates/date_tokens.h"
#include "parser/metadata/dates/written_time.h"

namespace linkherd::parser {
namespace {

constexpr int min_year = 1900;
constexpr int max_year = 2199;

bool is_year(const DateToken& token) {
  return token.is_number(4, 4) && token.value >= min_year && token.value <= max_year;
}

// Thailand counts 543 years more. Nobody writes these years of the Gregorian calendar.
constexpr std::int64_t buddhist_years = 543;

bool is_buddhist_year(const DateToken& token) {
  return token.is_number(4, 4) && token.value >= 2500 && token.value < 2600;
}

bool is_persian_year(const DateToken& token) {
  return token.is_number(4, 4) && token.value >= 1370 && token.value < 1450;
}

// Sets the day of a date of the Persian calendar. Its leap years follow a cycle of 33 years.
bool set_persian_day(WrittenDate& date, std::int64_t year, std::int64_t month, std::int64_t day) {
  using namespace std::chrono;
  if (month < 1 || month > 12 || day < 1 || day > (month < 7 ? 31 : 30)) return false;
  const auto days_until = [](std::int64_t y, std::int64_t m, std::int64_t d) {
    constexpr std::int64_t cycles_before = 1595;
    y += cycles_before;
    return 365 * y + y / 33 * 8 + (y % 33 + 3) / 4 + d + (m < 7 ? (m - 1) * 31 : (m - 7) * 30 + 186);
  };
  constexpr sys_days new_year_1403 = std::chrono::year(2024) / March / 20;
  const year_month_day gregorian(new_year_1403 + days(days_until(year, month, day) - days_until(1403, 1, 1)));
  return set_day(date, static_cast<int>(gregorian.year()), static_cast<unsigned>(gregorian.month()),
                 static_cast<unsigned>(gregorian.day()));
}

bool is_date_separator(const DateToken& token) {
  return token.is_symbol("-") || token.is_symbol("/") || token.is_symbol(".") || token.is_symbol("–") ||
         token.is_symbol("‑");
}

// Tries to read a date that begins at a token, and moves `at` past it.
class DateReader {
 public:
  DateReader(const DateTokens& tokens, std::size_t at, DayOrder order)
      : tokens_(tokens), at_(at), start_(at), order_(order) {}

  bool read() {
    const bool found = read_year_first() || attempt(&DateReader::read_era) || attempt(&DateReader::read_compact) ||
                       attempt(&DateReader::read_persian) || attempt(&DateReader::read_vietnamese) ||
                       attempt(&DateReader::read_day_month_name) || attempt(&DateReader::read_month_name_day) ||
                       attempt(&DateReader::read_short_year_first) || attempt(&DateReader::read_three_numbers);
    if (!found) return false;
    if (date_.hour < 0 && date_.day != 0) read_time_after_date(tokens_, at_, date_);
    return true;
  }
  // Reads a year with or without a month, for texts that have nothing else.
  bool read_coarse();

  const WrittenDate& date() const { return date_; }
  bool ambiguous() const { return ambiguous_; }
  std::size_t at() const { return at_; }

 private:
  bool attempt(bool (DateReader::*form)()) {
    at_ = start_;
    date_ = {};
    return (this->*form)();
  }
  const DateToken& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool read_year_first() {
    return is_year(token()) && (attempt(&DateReader::read_han) || attempt(&DateReader::read_iso) ||
                                attempt(&DateReader::read_year_month_name));
  }
  bool read_han();
  bool read_era();
  bool read_iso();
  bool read_compact();
  bool read_year_month_name();
  bool read_day_month_name();
  bool read_month_name_day();
  bool read_short_year_first();
  bool read_three_numbers();
  bool read_persian();
  bool read_vietnamese();
  int take_month();
  std::int64_t take_vietnamese_month();
  std::int64_t take_year();
  void skip_filler();

  const DateTokens& tokens_;
  std::size_t at_;
  std::size_t start_;
  DayOrder order_;
  WrittenDate date_;
  bool ambiguous_ = false;
};

// Reads 2024年3月5日, 2024년 3월 5일, 2024 оны 3 сарын 5.
bool DateReader::read_han() {
  const bool han = token(1).is_symbol("年") && token(3).is_symbol("月");
  const bool hangul = token(1).is_symbol("년") && token(3).is_symbol("월");
  const bool mongolian = token(1).is_word("оны") && token(3).is_word("сарын");
  if ((!han && !hangul && !mongolian) || !token(2).is_number(1, 2) || !token(4).is_number(1, 2)) return false;
  if (!set_day(date_, token().value, token(2).value, token(4).value)) return false;
  at_ += 5;
  if (token().is_symbol("日") || token().is_symbol("号") || token().is_symbol("號") || token().is_symbol("일")) ++at_;
  return true;
}

// Reads 令和6年3月5日, 民國113年3月5日.
bool DateReader::read_era() {
  struct Era {
    std::string_view first;
    std::string_view second;
    std::int64_t before;  // the year before the first year of the era
  };
  static constexpr std::array<Era, 4> eras{
      {{"令", "和", 2018}, {"平", "成", 1988}, {"民", "國", 1911}, {"民", "国", 1911}}};
  for (const Era& era : eras) {
    if (!token().is_symbol(era.first) || !token(1).is_symbol(era.second)) continue;
    const bool shaped = token(2).is_number(1, 3) && token(3).is_symbol("年") && token(4).is_number(1, 2) &&
                        token(5).is_symbol("月") && token(6).is_number(1, 2);
    if (!shaped || !set_day(date_, era.before + token(2).value, token(4).value, token(6).value)) return false;
    at_ += 7;
    if (token().is_symbol("日")) ++at_;
    return true;
  }
  // Taiwan may omit the name of the era: 113年3月5日. Other texts have no such year.
  constexpr std::int64_t before_republic = 1911;
  const bool shaped = token().is_number(3, 3) && token().value >= 100 && token().value < 200 &&
                      token(1).is_symbol("年") && token(2).is_number(1, 2) && token(3).is_symbol("月") &&
                      token(4).is_number(1, 2) && token(5).is_symbol("日");
  if (!shaped) return false;
  if (!set_day(date_, before_republic + token().value, token(2).value, token(4).value)) return false;
  at_ += 6;
  return true;
}

// Reads 2024-03-05, 2024/3/5, 2024.03.05, 2024. 3. 5.
bool DateReader::read_iso() {
  if (!is_date_separator(token(1)) || !token(2).is_number(1, 2) || !is_date_separator(token(3)) ||
      !token(4).is_number(1, 2)) {
    return false;
  }
  const auto [year, second, third] = std::tuple(token().value, token(2).value, token(4).value);
  if (!set_day(date_, year, second, third) && !set_day(date_, year, third, second)) return false;
  at_ += 5;
  if (token().is_symbol(".") && !token(1).is_number(1, 9)) ++at_;
  return true;
}

// Reads 20240305, 20240305T102000Z, 20240305102000, but only as the whole text: such numbers are usually not dates.
bool DateReader::read_compact() {
  if (start_ != 0 || tokens_.size() > 8 || token().kind != DateToken::Kind::number) return false;
  const int digits = token().digits;
  if (digits != 8 && digits != 12 && digits != 14) return false;
  std::int64_t value = token().value;
  std::int64_t clock = -1;
  if (digits > 8) {
    const std::int64_t factor = digits == 14 ? 1'000'000 : 10'000;
    clock = value % factor * (digits == 14 ? 1 : 100);
    value /= factor;
  }
  const std::int64_t year = value / 10'000;
  if (year < 1990 || year > 2099 || !set_day(date_, year, value / 100 % 100, value % 100)) return false;
  ++at_;
  if (token().is_word("t") && token(1).is_number(6, 6)) {
    clock = token(1).value;
    at_ += 2;
  }
  if (clock >= 0 && set_clock(date_, clock / 10'000, clock / 100 % 100, clock % 100)) read_zone(tokens_, at_, date_);
  return true;
}

// Skips words and punctuation between the parts of a date: "5th of March, 2024", "5 de marzo de 2024", "5. März 2024".
void DateReader::skip_filler() {
  static constexpr std::array<std::string_view, 51> fillers{
      "st",    "nd",   "rd",    "th",       "of",      "de",  "del", "di", "er", "e",   "ος",      "го",  "-",
      ",",     ".",    "/",     "º",        "ª",       "’",   "'",   "،",  "–",  "m",   "ko",      "eko", "g",
      "ta",    "gada", "aasta", "fhómhair", "fómhair", "năm", "den", "d",  "ú",  "mí",  "na",      "(",   ")",
      "жылғы", "жылы", "॰",     "ই",        "লা",      "রা",  "ঠা",  "শে", "ng", "yil", "yilning", "a"};
  for (int i = 0; i < 4; ++i) {
    const bool named = token().kind == DateToken::Kind::word || token().kind == DateToken::Kind::symbol;
    if (!named || std::ranges::find(fillers, token().word) == fillers.end()) return;
    ++at_;
  }
}

// Reads the name of a month and moves past it. Returns 0 if there is none. Thai abbreviations have a period inside.
int DateReader::take_month() {
  if (token().kind != DateToken::Kind::word) return 0;
  int month = month_by_name(token().word);
  if (month != 0) {
    ++at_;
  } else if (token(1).is_symbol(".") && token(2).kind == DateToken::Kind::word && !token(2).has_space_before) {
    month = month_by_name(token().word + "." + token(2).word);
    if (month != 0) at_ += 3;
  }
  return month;
}

// Reads 2024, the year 2567 of the Buddhist calendar, or '24, and moves past it. Returns 0 if there is none.
std::int64_t DateReader::take_year() {
  // "พ.ศ." names the Buddhist calendar.
  if (token().is_word("พ") && token(1).is_symbol(".") && token(2).is_word("ศ")) {
    at_ += 3;
    if (token().is_symbol(".")) ++at_;
  }
  if (is_year(token()) || is_buddhist_year(token())) {
    const std::int64_t year = token().value;
    ++at_;
    return year > max_year ? year - buddhist_years : year;
  }
  const bool is_cut = at_ > 0 && (tokens_[at_ - 1].is_symbol("'") || tokens_[at_ - 1].is_symbol("’"));
  if (!is_cut || !token().is_number(2, 2) || token().has_space_before) return 0;
  const std::int64_t year = token().value;
  ++at_;
  return year + (year < 50 ? 2000 : 1900);
}

// Reads 2024 March 5, 2024-Mar-05, 2024. gada 5. marts.
bool DateReader::read_year_month_name() {
  const std::int64_t year = token().value;
  ++at_;
  skip_filler();
  std::int64_t day = 0;
  if (token().is_number(1, 2)) {
    day = token().value;
    ++at_;
    skip_filler();
  }
  const int month = take_month();
  if (month == 0) return false;
  if (day != 0) return set_day(date_, year, month, day);
  skip_filler();
  if (!token().is_number(1, 2) || !set_day(date_, year, month, token().value)) return false;
  ++at_;
  return true;
}

// Returns true for a word in Thai letters, by its bytes in UTF-8.
bool is_thai(std::string_view word) { return word.starts_with("\xE0\xB8") || word.starts_with("\xE0\xB9"); }

// Reads 5 March 2024, 5. März 2024, 5 de marzo de 2024, 05-Mar-2024.
bool DateReader::read_day_month_name() {
  if (!token().is_number(1, 2)) return false;
  const std::int64_t day = token().value;
  ++at_;
  skip_filler();
  const bool is_thai_month = is_thai(token().word);
  const int month = take_month();
  if (month == 0) return false;
  skip_filler();
  // Arabic may give two names of the month: أيار/مايو.
  if (token().kind == DateToken::Kind::word && month_by_name(token().word) == month) {
    ++at_;
    skip_filler();
  }
  // The short years of Thailand are those of its calendar: 67 is 2567.
  constexpr std::int64_t buddhist_century = 2500;
  if (is_thai_month && token().is_number(2, 2)) {
    const std::int64_t year = buddhist_century + token().value - buddhist_years;
    ++at_;
    return set_day(date_, year, month, day);
  }
  const std::int64_t year = take_year();
  return year != 0 && set_day(date_, year, month, day);
}

// Reads 15 اسفند 1402, 1402/12/15 and 1402-12-15.
bool DateReader::read_persian() {
  const bool separated = (token(1).is_symbol("/") || token(1).is_symbol("-")) && token(3).is_symbol(token(1).word);
  if (is_persian_year(token()) && separated && token(2).is_number(1, 2) && token(4).is_number(1, 2)) {
    if (!set_persian_day(date_, token().value, token(2).value, token(4).value)) return false;
    at_ += 5;
    return true;
  }
  if (!token().is_number(1, 2) || token(1).kind != DateToken::Kind::word) return false;
  const int month = persian_month_by_name(token(1).word);
  const std::size_t year = token(2).is_symbol("،") || token(2).is_word("ماه") ? 3 : 2;
  if (month == 0 || !is_persian_year(token(year))) return false;
  if (!set_persian_day(date_, token(year).value, month, token().value)) return false;
  at_ += year + 1;
  return true;
}

// Reads a month of Vietnamese and moves past it: "tháng 3", "tháng Ba", "thg 3", "Th3". Returns 0 if there is none.
std::int64_t DateReader::take_vietnamese_month() {
  // "5th 3" is English.
  const bool is_short = token().is_word("th") && token().has_space_before && !token(1).has_space_before;
  if (!token().is_word("tháng") && !token().is_word("thg") && !is_short) return 0;
  ++at_;
  if (token().is_symbol(".")) ++at_;
  const DateToken& name = token();
  const bool is_word = name.kind == DateToken::Kind::word;
  const std::int64_t month = name.is_number(1, 2)   ? name.value
                             : is_word && !is_short ? vietnamese_month_by_name(name.word, token(1).word)
                                                    : 0;
  at_ += is_word && month > 10 ? std::size_t{2} : std::size_t{1};
  return month;
}

// Reads 5 tháng 3 năm 2024, 5 Tháng 3, 2024, Tháng Ba 5, 2024, 5 Th3 2024.
bool DateReader::read_vietnamese() {
  const bool day_first = token().is_number(1, 2);
  std::int64_t day = token().value;
  if (day_first) ++at_;
  const std::int64_t month = take_vietnamese_month();
  if (month == 0) return false;
  if (!day_first) {
    if (!token().is_number(1, 2)) return false;
    day = token().value;
    ++at_;
  }
  skip_filler();
  if (token().is_symbol("/")) ++at_;
  const std::int64_t year = take_year();
  return year != 0 && set_day(date_, year, month, day);
}

// Reads March 5, 2024; Mar 5th 2024; Tue Mar 05 10:20:00 +0800 2024.
bool DateReader::read_month_name_day() {
  const int month = take_month();
  if (month == 0) return false;
  skip_filler();
  if (!token().is_number(1, 2)) return false;
  const std::int64_t day = token().value;
  ++at_;
  const std::size_t after_day = at_;
  skip_filler();
  if (const std::int64_t year = take_year(); year != 0 && set_day(date_, year, month, day)) return true;
  at_ = after_day;
  if (!token(1).is_symbol(":")) return false;
  read_time_after_date(tokens_, at_, date_);
  if (date_.hour < 0 || !is_year(token()) || !set_day(date_, token().value, month, day)) return false;
  ++at_;
  return true;
}

// Reads 24-3-5 10:20 and 24.03.05 on pages whose language writes the year first.
bool DateReader::read_short_year_first() {
  if (order_ != DayOrder::year_first || !token().is_number(2, 2) || !is_date_separator(token(1))) return false;
  const bool shaped = token(2).is_number(1, 2) && token(3).kind == DateToken::Kind::symbol &&
                      token(3).word == token(1).word && token(4).is_number(1, 2);
  const bool is_last = token(5).kind == DateToken::Kind::end && start_ == 0;
  const bool has_clock = token(5).is_number(1, 2) && token(5).has_space_before && token(6).is_symbol(":");
  if (!shaped || (!is_last && !has_clock)) return false;
  if (!set_day(date_, 2000 + token().value, token(2).value, token(4).value)) return false;
  at_ += 5;
  return true;
}

// Reads 05.03.2024, 3/5/2024, 05.03.24, 05 | 03 | 2024. Reads 5.3.24 and 3/15/24 only as the whole text, because they
// may be versions and fractions.
bool DateReader::read_three_numbers() {
  const bool separated = is_date_separator(token(1)) || token(1).is_symbol("|");
  const bool shaped = token().is_number(1, 2) && separated && token(2).is_number(1, 2) &&
                      token(3).kind == DateToken::Kind::symbol && token(3).word == token(1).word;
  const bool two_digits = token().digits == 2 && token(2).digits == 2 && !token(1).is_symbol("-");
  const bool is_clear = token().value > 12 || token(2).value > 12;
  const bool alone = start_ == 0 && (token(1).is_symbol(".") || (token(1).is_symbol("/") && is_clear)) &&
                     token(5).kind == DateToken::Kind::end;
  const bool short_year = token(4).is_number(2, 2) && (two_digits || alone) && !token(1).is_symbol("|");
  const bool buddhist_year = is_buddhist_year(token(4));
  if (!shaped || (!is_year(token(4)) && !short_year && !buddhist_year)) return false;
  // This is the start of a version, an address or a telephone number, not a date.
  if (is_date_separator(token(5)) && token(6).kind == DateToken::Kind::number && !token(6).has_space_before)
    return false;
  const std::int64_t year = short_year      ? token(4).value + (token(4).value < 50 ? 2000 : 1900)
                            : buddhist_year ? token(4).value - buddhist_years
                                            : token(4).value;
  std::int64_t day = token().value;
  std::int64_t month = token(2).value;
  ambiguous_ = day <= 12 && month <= 12 && day != month;
  // Dots between the numbers are European style, which has the day first, as Thailand does.
  if (ambiguous_ && (token(1).is_symbol(".") || buddhist_year))
    ambiguous_ = false;
  else if (ambiguous_ && order_ == DayOrder::month_first)
    std::swap(day, month);
  if (!set_day(date_, year, month, day) && !set_day(date_, year, day, month)) return false;
  at_ += 5;
  return true;
}

bool DateReader::read_coarse() {
  at_ = start_;
  date_ = {};
  if (is_year(token())) {
    date_.year = static_cast<std::int16_t>(token().value);
    const bool has_month = (is_date_separator(token(1)) || token(1).is_symbol("年") || token(1).is_symbol("년")) &&
                           token(2).is_number(1, 2) && token(2).value >= 1 && token(2).value <= 12;
    if (has_month) date_.month = static_cast<std::int8_t>(token(2).value);
    at_ += has_month ? 3 : 1;
    while (token().kind == DateToken::Kind::symbol) ++at_;
  } else {
    const int month = token().kind == DateToken::Kind::word ? month_by_name(token().word) : 0;
    ++at_;
    skip_filler();
    if (month == 0 || !is_year(token())) return false;
    date_.year = static_cast<std::int16_t>(token().value);
    date_.month = static_cast<std::int8_t>(month);
    ++at_;
  }
  return token().kind == DateToken::Kind::end;
}

// Returns false for a number that continues something else ("v1.2.2024", "12-345-2024").
bool may_begin(const DateTokens& tokens, std::size_t at) {
  const DateToken& token = tokens[at];
  if (token.is_symbol("令") || token.is_symbol("平") || token.is_symbol("民")) return true;
  if (token.kind != DateToken::Kind::number && token.kind != DateToken::Kind::word) return false;
  if (at == 0 || token.has_space_before || tokens[at].kind == DateToken::Kind::word) return true;
  const DateToken& before = tokens[at - 1];
  if (before.kind == DateToken::Kind::word) return false;
  const bool goes_on = is_date_separator(before) || before.is_symbol(":") || before.is_symbol("+");
  return !goes_on || at == 1 || before.has_space_before || tokens[at - 2].kind != DateToken::Kind::number;
}

}  // namespace

std::vector<FoundDate> find_dates(std::string_view text, DayOrder order, std::size_t limit) {
  constexpr std::size_t max_text = 4096;
  if (!may_contain_date(text.substr(0, max_text))) return {};
  const DateTokens tokens = split_date_tokens(text.substr(0, max_text));
  std::vector<FoundDate> found;
  for (std::size_t at = 0; at + 1 < tokens.size() && found.size() < limit;) {
    DateReader reader(tokens, at, order);
    if (may_begin(tokens, at) && reader.read()) {
      found.push_back({.date = reader.date(),
                       .begin = tokens[at].begin,
                       .end = tokens[reader.at() - 1].end,
                       .ambiguous = reader.ambiguous()});
      at = reader.at();
    } else {
      ++at;
    }
  }
  if (DateReader reader(tokens, 0, order); found.empty() && reader.read_coarse()) {
    found.push_back({.date = reader.date(), .begin = tokens[0].begin, .end = text.size()});
  }
  return found;
}

std::optional<WrittenDate> parse_written_date(std::string_view text, DayOrder order) {
  const std::vector<FoundDate> found = find_dates(text, order, 1);
  if (found.empty()) return std::nullopt;
  return found.front().date;
}

namespace {

bool is_real_day(int year, int month, int day) {
  using namespace std::chrono;
  return year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                        std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

}  // namespace

bool set_day(WrittenDate& date, std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (!is_real_day(static_cast<int>(year), static_cast<int>(month), static_cast<int>(day))) return false;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::int8_t>(month);
  date.day = static_cast<std::int8_t>(day);
  return true;
}

std::optional<WrittenDate> date_from_unix_time(std::string_view digits, std::int16_t offset_minutes) {
  digits = trim_ascii(digits);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() == 13) value /= 1000;
  if (digits.size() != 13 && (digits.size() < 9 || digits.size() > 10)) return std::nullopt;

  using namespace std::chrono;
  const sys_seconds shown{seconds(value) + minutes(offset_minutes)};
  const sys_days day = floor<days>(shown);
  const year_month_day calendar(day);
  const hh_mm_ss clock(shown - day);
  WrittenDate date;
  if (!set_day(date, static_cast<int>(calendar.year()), static_cast<unsigned>(calendar.month()),
               static_cast<unsigned>(calendar.day()))) {
    return std::nullopt;
  }
  set_clock(date, clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  date.offset = offset_minutes;
  return date;
}

Timestamp start_of_date(const WrittenDate& date) {
  using namespace std::chrono;
  const auto at_or_above = [](int part, int min) { return static_cast<unsigned>(std::max(part, min)); };
  const sys_days day(year(date.year) / month(at_or_above(date.month, 1)) / std::chrono::day(at_or_above(date.day, 1)));
  return day + hours(at_or_above(date.hour, 0)) + minutes(at_or_above(date.minute, 0)) +
         seconds(at_or_above(date.second, 0)) - minutes(date.offset.value_or(0));
}

std::string to_iso8601(const WrittenDate& date) {
  std::string text = fmt::format("{:04}", date.year);
  if (date.month != 0) text += fmt::format("-{:02}", date.month);
  if (date.day != 0) text += fmt::format("-{:02}", date.day);
  if (date.day == 0 || date.hour < 0) return text;
  text += fmt::format("T{:02}:{:02}", date.hour, date.minute);
  if (date.second >= 0) text += fmt::format(":{:02}", date.second);
  if (!date.offset) return text;
  if (*date.offset == 0) return text + "Z";
  const int minutes = std::abs(*date.offset);
  return text + fmt::format("{}{:02}:{:02}", *date.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

bool is_plausible_mark(const WrittenDate& date, Timestamp now) {
  using namespace std::chrono;
  // Programs write the first day of a century or of Unix time for an unknown date.
  const bool is_unknown = (date.year == 1970 || date.year == 1969 || date.year % 100 == 0) &&
                          (date.month <= 1 || date.month == 12) && date.year < first_plausible_year;
  if (is_unknown) return false;
  const year_month_day tomorrow(floor<days>(now) + days(1));
  const int month = std::max<int>(date.month, 1);
  const int day = std::max<int>(date.day, 1);
  const year_month_day written(std::chrono::year(date.year), std::chrono::month(static_cast<unsigned>(month)),
                               std::chrono::day(static_cast<unsigned>(day)));
  return written <= tomorrow;
}

bool is_plausible(const WrittenDate& date, Timestamp now) {
  return date.year >= first_plausible_year && is_plausible_mark(date, now);
}

}  // namespace linkherd::parser
