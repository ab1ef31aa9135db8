#include "parser/metadata/dates/written_time.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace linkherd::parser {
namespace {

const DateToken& token_at(const DateTokens& tokens, std::size_t at) { return tokens[std::min(at, tokens.size() - 1)]; }

// Only names with a single meaning. "IST" and "CST" are ambiguous.
constexpr std::array<std::pair<std::string_view, std::int16_t>, 18> zones{{{"z", 0},
                                                                           {"utc", 0},
                                                                           {"gmt", 0},
                                                                           {"wet", 0},
                                                                           {"bst", 60},
                                                                           {"cet", 60},
                                                                           {"cest", 120},
                                                                           {"eet", 120},
                                                                           {"eest", 180},
                                                                           {"msk", 180},
                                                                           {"jst", 540},
                                                                           {"kst", 540},
                                                                           {"est", -300},
                                                                           {"edt", -240},
                                                                           {"cdt", -300},
                                                                           {"mst", -420},
                                                                           {"pst", -480},
                                                                           {"pdt", -420}}};

// Reads "+08:00", "+0800" or "+8". Returns false if there is none.
bool read_numeric_offset(const DateTokens& tokens, std::size_t& at, WrittenDate& date) {
  const DateToken& sign = token_at(tokens, at);
  const DateToken& number = token_at(tokens, at + 1);
  const bool minus = sign.is_symbol("-") || sign.is_symbol("−");
  if ((!minus && !sign.is_symbol("+")) || number.has_space_before || !number.is_number(1, 4)) return false;
  std::int64_t minutes = 0;
  std::size_t length = 2;
  if (number.digits >= 3) {
    minutes = number.value / 100 * 60 + number.value % 100;
  } else {
    minutes = number.value * 60;
    if (token_at(tokens, at + 2).is_symbol(":") && token_at(tokens, at + 3).is_number(2, 2)) {
      minutes += token_at(tokens, at + 3).value;
      length = 4;
    } else if (minus && sign.has_space_before) {
      return false;  // "10:20 -12" is a time range
    }
  }
  constexpr std::int64_t furthest = std::int64_t{14} * 60;
  if (minutes > furthest) return false;
  date.offset = static_cast<std::int16_t>(minus ? -minutes : minutes);
  at += length;
  return true;
}

// Reads "am", "p.m." or "PM". Returns the hours to add, or -1 if there is none.
int read_half_of_day(const DateTokens& tokens, std::size_t& at) {
  const DateToken& first = token_at(tokens, at);
  if (first.is_word("am") || first.is_word("pm")) {
    ++at;
    return first.is_word("pm") ? 12 : 0;
  }
  const bool dotted = (first.is_word("a") || first.is_word("p")) && token_at(tokens, at + 1).is_symbol(".") &&
                      token_at(tokens, at + 2).is_word("m");
  if (!dotted) return -1;
  at += token_at(tokens, at + 3).is_symbol(".") ? std::size_t{4} : std::size_t{3};
  return first.is_word("p") ? 12 : 0;
}

void skip_connectors(const DateTokens& tokens, std::size_t& at) {
  static constexpr std::array<std::string_view, 33> connectors{
      "t",   ",",     "-",  "–",    "—",   "|", "·", "・",   "•", "/", "@",    "(", "at", "um",  "à",  "a", "kl",
      "klo", "kello", "às", "alle", "ore", "в", "о", "saat", "h", "o", "godz", ".", "as", "las", "om", "ob"};
  for (int i = 0; i < 3; ++i) {
    const DateToken& token = token_at(tokens, at);
    const bool named = token.kind == DateToken::Kind::word || token.kind == DateToken::Kind::symbol;
    if (!named || std::ranges::find(connectors, token.word) == connectors.end()) return;
    ++at;
  }
}

// Reads 上午, 下午, 晚上, 오후 (two symbols). Returns the hours to add, or -1 if there is none.
int read_east_asian_half_of_day(const DateTokens& tokens, std::size_t& at) {
  struct Half {
    std::string_view first;
    std::string_view second;
    int hours;
  };
  static constexpr std::array<Half, 6> halves{
      {{"上", "午", 0}, {"下", "午", 12}, {"晚", "上", 12}, {"午", "後", 12}, {"오", "전", 0}, {"오", "후", 12}}};
  const auto* half = std::ranges::find_if(halves, [&](const Half& known) {
    return token_at(tokens, at).is_symbol(known.first) && token_at(tokens, at + 1).is_symbol(known.second);
  });
  if (half == halves.end()) return -1;
  at += 2;
  return half->hours;
}

}  // namespace

bool set_clock(WrittenDate& date, std::int64_t hour, std::int64_t minute, std::int64_t second) {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second > 60) return false;
  date.hour = static_cast<std::int8_t>(hour);
  date.minute = static_cast<std::int8_t>(minute);
  date.second = static_cast<std::int8_t>(std::min<std::int64_t>(second, 59));
  return true;
}

void read_zone(const DateTokens& tokens, std::size_t& at, WrittenDate& date) {
  std::size_t next = at;
  if (token_at(tokens, next).is_symbol("(")) ++next;
  const DateToken& word = token_at(tokens, next);
  const auto* zone = std::ranges::find(zones, word.word, &std::pair<std::string_view, std::int16_t>::first);
  if (word.kind == DateToken::Kind::word && zone != zones.end()) {
    date.offset = zone->second;
    at = next + 1;
    read_numeric_offset(tokens, at, date);  // "GMT+0100"
    return;
  }
  read_numeric_offset(tokens, at, date);
}

void read_time_after_date(const DateTokens& tokens, std::size_t& at, WrittenDate& date) {
  std::size_t next = at;
  skip_connectors(tokens, next);
  int half = read_east_asian_half_of_day(tokens, next);
  const DateToken& hour = token_at(tokens, next);
  const DateToken& mark = token_at(tokens, next + 1);
  const DateToken& minute = token_at(tokens, next + 2);
  const bool colon = mark.is_symbol(":") || mark.is_symbol("：") || mark.is_word("h") || mark.is_symbol("时") ||
                     mark.is_symbol("時") || mark.is_symbol("点") || mark.is_symbol("시");
  const bool point = mark.is_symbol(".") && !minute.has_space_before && !mark.has_space_before;
  if (!hour.is_number(1, 2) || !minute.is_number(2, 2) || (!colon && !point)) return;
  next += 3;
  std::int64_t second = -1;
  const DateToken& second_mark = token_at(tokens, next);
  if ((second_mark.is_symbol(":") || second_mark.is_symbol("：") || second_mark.is_symbol("分")) &&
      token_at(tokens, next + 1).is_number(2, 2)) {
    second = token_at(tokens, next + 1).value;
    next += 2;
    const DateToken& fraction = token_at(tokens, next);
    if ((fraction.is_symbol(".") || fraction.is_symbol(",")) && token_at(tokens, next + 1).is_number(1, 9) &&
        !token_at(tokens, next + 1).has_space_before) {
      next += 2;
    }
  }
  if (half < 0) half = read_half_of_day(tokens, next);
  std::int64_t hours = hour.value;
  if (half >= 0 && hours <= 12) hours = hours % 12 + half;
  // "10.20" may be a decimal number. It is a time only before "Uhr" or with two digits in each part.
  if (point && hour.digits != 2 && !token_at(tokens, next).is_word("uhr")) return;
  if (!set_clock(date, hours, minute.value, second)) return;
  at = next;
  if (token_at(tokens, at).is_word("uhr") || token_at(tokens, at).is_word("h")) ++at;
  read_zone(tokens, at, date);
}

}  // namespace linkherd::parser
