// Parses relative dates: "yesterday", 3天前. Resolving them needs the time of the fetch.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/dates/date_tokens.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/dates/written_time.h"

namespace linkherd::parser {
namespace {

enum class Unit : std::uint8_t { moment, day, week, month, year };  // `moment` covers seconds, minutes and hours

struct UnitName {
  std::string_view names;  // delimited by spaces
  Unit unit;
  std::int64_t minutes = 0;  // for `moment`
};

constexpr std::array unit_names{
    UnitName{" second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondo secondi секунд "
             "секунду секунды saniye ",
             Unit::moment, 0},
    UnitName{" minute minutes min mins minuten minuto minutos minuti минут минуту минуты dakika ", Unit::moment, 1},
    UnitName{" hour hours hr hrs h stunde stunden heure heures hora horas ora ore час часа часов saat ", Unit::moment,
             60},
    UnitName{" day days d tag tage tagen jour jours día días dia dias giorno giorni день дня дней gün ", Unit::day},
    UnitName{
        " week weeks w woche wochen semaine semaines semana semanas settimana settimane неделю недели недель hafta ",
        Unit::week},
    UnitName{" month months mo monat monate monaten mois mes meses mês mese mesi месяц месяца месяцев ay ",
             Unit::month},
    UnitName{" year years y jahr jahre jahren an ans année années año años ano anos anno anni год года лет yıl ",
             Unit::year},
};

struct DayName {
  std::string_view names;
  int days_back;
};
constexpr std::array day_names{
    DayName{" today heute aujourd hoy hoje oggi сегодня bugün now ", 0},
    DayName{" yesterday gestern hier ayer ontem ieri вчера dün ", 1},
    DayName{" vorgestern anteayer anteontem позавчера ", 2},
};

bool is_among(std::string_view names, const std::string& word) {
  return !word.empty() && names.find(" " + word + " ") != std::string_view::npos;
}

// A unit in Chinese, Japanese or Korean, where each character is a token.
struct SignUnit {
  std::string_view signs;
  Unit unit;
  std::int64_t minutes = 0;
};
constexpr std::array sign_units{
    SignUnit{"个月", Unit::month},      SignUnit{"個月", Unit::month},      SignUnit{"か月", Unit::month},
    SignUnit{"ヶ月", Unit::month},      SignUnit{"개월", Unit::month},      SignUnit{"小时", Unit::moment, 60},
    SignUnit{"小時", Unit::moment, 60}, SignUnit{"時間", Unit::moment, 60}, SignUnit{"시간", Unit::moment, 60},
    SignUnit{"分钟", Unit::moment, 1},  SignUnit{"分鐘", Unit::moment, 1},  SignUnit{"星期", Unit::week},
    SignUnit{"週間", Unit::week},       SignUnit{"周", Unit::week},         SignUnit{"週", Unit::week},
    SignUnit{"주", Unit::week},         SignUnit{"天", Unit::day},          SignUnit{"日", Unit::day},
    SignUnit{"일", Unit::day},          SignUnit{"月", Unit::month},        SignUnit{"年", Unit::year},
    SignUnit{"년", Unit::year},         SignUnit{"秒", Unit::moment, 0},    SignUnit{"초", Unit::moment, 0},
    SignUnit{"分", Unit::moment, 1},    SignUnit{"분", Unit::moment, 1},
};
struct SignDay {
  std::string_view signs;
  int days_back;
};
constexpr std::array sign_days{
    SignDay{"刚刚", 0}, SignDay{"剛剛", 0}, SignDay{"今天", 0}, SignDay{"今日", 0}, SignDay{"오늘", 0},
    SignDay{"昨天", 1}, SignDay{"昨日", 1}, SignDay{"어제", 1}, SignDay{"前天", 2}, SignDay{"一昨日", 2},
};

constexpr std::int64_t max_amount = 5000;

class RelativeReader {
 public:
  RelativeReader(std::string_view text, Timestamp now) : tokens_(split_date_tokens(text)), now_(now) {}

  std::optional<WrittenDate> read() {
    skip_labels();
    std::optional<WrittenDate> date = read_named_day();
    if (!date) date = read_amount();
    // If more than a time of day follows, the text is a sentence.
    return date && token().kind == DateToken::Kind::end ? date : std::nullopt;
  }

 private:
  const DateToken& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

  // If the next tokens are these symbols, skips them and returns true.
  bool take_signs(std::string_view signs) {
    std::string next;
    for (std::size_t ahead = 0; next.size() < signs.size(); ++ahead) {
      if (token(ahead).kind != DateToken::Kind::symbol) return false;
      next += token(ahead).word;
      if (next == signs) {
        at_ += ahead + 1;
        return true;
      }
    }
    return false;
  }

  // Skips the words before the amount: "Posted 2 days ago", 发布于 3天前, "vor 3 Tagen", "il y a 3 jours".
  void skip_labels() {
    static constexpr std::string_view words =
        " last posted published updated on by vor il y a hace há ha about ca over almost etwa environ veröffentlicht "
        "publié ";
    for (int i = 0; i < 6; ++i) {
      if (is_among(words, token().word) && token().kind == DateToken::Kind::word) {
        // "a day ago": the article is the amount.
        if (token().is_word("a") && unit_of(token(1).word) != nullptr) return;
        ++at_;
      } else if (token().is_symbol(":") || token().is_symbol("：") || token().is_symbol("·")) {
        ++at_;
      } else if (!take_signs("发布于") && !take_signs("发表于") && !take_signs("编辑于") && !take_signs("约")) {
        return;
      }
    }
  }

  static const UnitName* unit_of(const std::string& word) {
    const auto* found =
        std::ranges::find_if(unit_names, [&](const UnitName& unit) { return is_among(unit.names, word); });
    return found == unit_names.end() ? nullptr : found;
  }

  std::optional<WrittenDate> read_named_day() {
    int back = -1;
    for (const SignDay& day : sign_days) {
      if (back < 0 && take_signs(day.signs)) back = day.days_back;
    }
    for (const DayName& day : day_names) {
      if (back >= 0 || token().kind != DateToken::Kind::word || !is_among(day.names, token().word)) continue;
      back = day.days_back;
      ++at_;
    }
    if (back < 0 && token().is_word("just") && token(1).is_word("now")) {
      back = 0;
      at_ += 2;
    }
    if (back < 0) return std::nullopt;
    WrittenDate date = day_before(back);
    // Skips "'hui" of "aujourd'hui".
    if (token().is_symbol("'") || token().is_symbol("’")) at_ += 2;
    read_time_after_date(tokens_, at_, date);
    date.offset.reset();
    return date;
  }

  std::optional<WrittenDate> read_amount() {
    std::int64_t amount = 0;
    if (token().is_number(1, 4)) {
      amount = token().value;
      ++at_;
    } else if (token().is_word("a") || token().is_word("an") || token().is_word("one") || token().is_word("einem") ||
               token().is_word("einer") || token().is_word("un") || token().is_word("une") || token().is_word("una")) {
      amount = 1;
      ++at_;
    } else if (!take_han_amount(amount)) {
      return std::nullopt;
    }
    if (amount > max_amount) return std::nullopt;
    if (token().kind == DateToken::Kind::word) return read_word_unit(amount);
    for (const SignUnit& unit : sign_units) {
      if (!take_signs(unit.signs)) continue;
      if (!take_signs("前") && !take_signs("以前") && !take_signs("之前") && !take_signs("전")) return std::nullopt;
      return counted_back(amount, unit.unit, unit.minutes);
    }
    return std::nullopt;
  }

  // Reads the amount of 三天前 or 几天前 ("some" counts as three).
  bool take_han_amount(std::int64_t& amount) {
    static constexpr std::array<std::string_view, 13> numbers{"一", "二", "三", "四", "五", "六", "七",
                                                              "八", "九", "十", "两", "几", "数"};
    const auto* found = std::ranges::find(numbers, token().word);
    if (token().kind != DateToken::Kind::symbol || found == numbers.end()) return false;
    amount = found - numbers.begin() + 1;
    if (amount == 11) amount = 2;
    if (amount > 11) amount = 3;
    ++at_;
    return true;
  }

  std::optional<WrittenDate> read_word_unit(std::int64_t amount) {
    static constexpr std::string_view words_after = " ago fa atrás назад önce ";
    const UnitName* unit = unit_of(token().word);
    if (unit == nullptr) return std::nullopt;
    ++at_;
    if (token().is_symbol(".")) ++at_;
    const bool before = at_ >= 3 || tokens_.front().is_word("vor") || tokens_.front().is_word("hace") ||
                        tokens_.front().is_word("il") || tokens_.front().is_word("há");
    if (is_among(words_after, token().word))
      ++at_;
    else if (!before || !marks_past())
      return std::nullopt;
    return counted_back(amount, unit->unit, unit->minutes);
  }

  // Returns true if a word before the amount marks the past, as "vor" does.
  bool marks_past() const {
    return std::ranges::any_of(tokens_, [](const DateToken& one) {
      return one.is_word("vor") || one.is_word("hace") || one.is_word("há") || one.is_word("ha") || one.is_word("il");
    });
  }

  WrittenDate day_before(std::int64_t days) const {
    using namespace std::chrono;
    const year_month_day day(floor<std::chrono::days>(now_) - std::chrono::days(days));
    WrittenDate date;
    set_day(date, static_cast<int>(day.year()), static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
    return date;
  }

  WrittenDate counted_back(std::int64_t amount, Unit unit, std::int64_t minutes) const {
    using namespace std::chrono;
    if (unit == Unit::day || unit == Unit::week) return day_before(unit == Unit::week ? amount * 7 : amount);
    if (unit == Unit::moment) {
      const auto moment = now_ - std::chrono::minutes(amount * minutes);
      return day_before((floor<days>(now_) - floor<days>(moment)).count());
    }
    const year_month_day today(floor<days>(now_));
    const year_month_day then = today - months(unit == Unit::year ? amount * 12 : amount);
    WrittenDate date;
    date.year = static_cast<std::int16_t>(static_cast<int>(then.year()));
    if (unit == Unit::month) date.month = static_cast<std::int8_t>(static_cast<unsigned>(then.month()));
    return date;
  }

  DateTokens tokens_;
  Timestamp now_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<WrittenDate> parse_relative_date(std::string_view text, Timestamp now) {
  constexpr std::size_t max_bytes = 80;  // bytes; longer texts are sentences
  if (text.empty() || text.size() > max_bytes) return std::nullopt;
  return RelativeReader(text, now).read();
}

}  // namespace linkherd::parser
