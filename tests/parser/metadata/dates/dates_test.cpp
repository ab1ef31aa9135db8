#include "parser/metadata/dates/dates.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::parser;

namespace {

std::string read(std::string_view text, DayOrder order = DayOrder::day_first) {
  const auto date = parse_written_date(text, order);
  return date ? to_iso8601(*date) : "none";
}

}  // namespace

TEST_CASE("dates are read as they are written") {
  struct Row {
    std::string_view text;
    std::string_view iso;
  };
  for (const auto& [text, iso] : std::vector<Row>{
           {"2024-03-05", "2024-03-05"},
           {"2024-03-05T10:20:00+08:00", "2024-03-05T10:20:00+08:00"},
           {"2024-03-05T10:20:00.123Z", "2024-03-05T10:20:00Z"},
           {"2024-03-05T10:20:00-0530", "2024-03-05T10:20:00-05:30"},
           {"2024-03-05T10:20", "2024-03-05T10:20"},
           {"2024-03-05 10:20:30", "2024-03-05T10:20:30"},
           {"2024-03-05 10:20:30 +0800", "2024-03-05T10:20:30+08:00"},
           {"2024-03-05 10:20:30 UTC", "2024-03-05T10:20:30Z"},
           {"2024/3/5", "2024-03-05"},
           {"2024.03.05 08:01", "2024-03-05T08:01"},
           {"2024. 3. 5.", "2024-03-05"},
           {"20240305", "2024-03-05"},
           {"20240305T102030Z", "2024-03-05T10:20:30Z"},
           {"20240305102030", "2024-03-05T10:20:30"},
           {"Tue, 05 Mar 2024 10:20:00 GMT", "2024-03-05T10:20:00Z"},
           {"Tue, 05 Mar 2024 10:20:00 +0800", "2024-03-05T10:20:00+08:00"},
           {"Tue Mar 05 2024 10:20:00 GMT+0100 (CET)", "2024-03-05T10:20:00+01:00"},
           {"Tue Mar 05 10:20:00 +0000 2024", "2024-03-05T10:20:00Z"},
           {"March 5, 2024", "2024-03-05"},
           {"Mar 5th, 2024 at 3:04 pm EST", "2024-03-05T15:04-05:00"},
           {"Sept. 5, 2024, 12:30 a.m.", "2024-09-05T00:30"},
           {"5 March 2024", "2024-03-05"},
           {"5th of March 2024", "2024-03-05"},
           {"05-Mar-2024", "2024-03-05"},
           {"Published: 5 March 2024 | 10:20", "2024-03-05T10:20"},
           {"5. März 2024, 10:20 Uhr", "2024-03-05T10:20"},
           {"Stand: 05.03.2024 10.20 Uhr", "2024-03-05T10:20"},
           {"le 5 février 2024 à 10h20", "2024-02-05T10:20"},
           {"5 de marzo de 2024", "2024-03-05"},
           {"5 марта 2024", "2024-03-05"},
           {"15 March '24", "2024-03-15"},
           {"Ngày 5 tháng 3 năm 2024", "2024-03-05"},
           {"5 Tháng Mười Hai, 2024", "2024-12-05"},
           {"5 มี.ค. 2567", "2024-03-05"},
           {"5 พ.ค. 2567", "2024-05-05"},
           {"5 มีนาคม พ.ศ. 2567", "2024-03-05"},
           {"05/03/2567", "2024-03-05"},
           {"5 มี.ค. 67", "2024-03-05"},
           {"Tháng Ba 5, 2024", "2024-03-05"},
           {"Tháng 3 5, 2024", "2024-03-05"},
           {"05 Th03, 2024", "2024-03-05"},
           {"1402-12-15", "2024-03-05"},
           {"2024(e)ko martxoaren 5(a)", "2024-03-05"},
           {"5ú Márta 2024", "2024-03-05"},
           {"5 Mí na Nollag 2024", "2024-12-05"},
           {"2024 жылғы 5 наурыз", "2024-03-05"},
           {"5 d'abril de 2024", "2024-04-05"},
           {"৫ই মার্চ, ২০২৪", "2024-03-05"},
           {"5 जन॰ 2024", "2024-01-05"},
           {"5 ta' Marzu 2024", "2024-03-05"},
           {"٥ مارس ٢٠٢٤", "2024-03-05"},
           {"۱۵ اسفند ۱۴۰۲", "2024-03-05"},
           {"1402/12/15", "2024-03-05"},
           {"30 اسفند 1403", "2025-03-20"},
           {"31 اسفند 1402", "none"},
           {"5 במרץ 2024", "2024-03-05"},
           {"5 مارچ 2024", "2024-03-05"},
           {"5 மார்ச் 2024", "2024-03-05"},
           {"2024 m. kovo 5 d.", "2024-03-05"},
           {"2024. gada 5. marts", "2024-03-05"},
           {"2024ko martxoaren 5a", "2024-03-05"},
           {"5 Márta 2024", "2024-03-05"},
           {"5 Meán Fómhair 2024", "2024-09-05"},
           {"5. mars 2024", "2024-03-05"},
           {"5 березня 2024, 10:20", "2024-03-05T10:20"},
           {"5 Ağustos 2024", "2024-08-05"},
           {"5. maaliskuuta 2024", "2024-03-05"},
           {"发布于 2024年3月5日 10:20", "2024-03-05T10:20"},
           {"2024年03月05日 下午3:04", "2024-03-05T15:04"},
           {"2024年3月5日10时20分", "2024-03-05T10:20"},
           {"发布于 2024-03-05 22:12・上海", "2024-03-05T22:12"},
           {"２０２４年３月５日", "2024-03-05"},
           {"2024년 3월 5일", "2024-03-05"},
           {"2017/06/12", "2017-06-12"},
           {"05.03.24", "2024-03-05"},
           {"5.3.24", "2024-03-05"},
           {"05 | 03 | 2024", "2024-03-05"},
           {"2024-03", "2024-03"},
           {"March 2024", "2024-03"},
           {"2024年3月", "2024-03"},
           {"二〇二四年三月五日", "2024-03-05"},
           {"二零二四年十二月二十三日", "2024-12-23"},
           {"发布于 二〇二四年十月廿三日 10:20", "2024-10-23T10:20"},
           {"令和6年3月5日", "2024-03-05"},
           {"民國113年3月5日", "2024-03-05"},
           {"2024년 3월 5일 오후 3:04", "2024-03-05T15:04"},
           {"2024年3月5日 10時20分", "2024-03-05T10:20"},
           {"5 marzo 2024", "2024-03-05"},
           {"5 de março de 2024", "2024-03-05"},
           {"٥ مارس ٢٠٢٤", "2024-03-05"},
           {"৫ মার্চ ২০২৪", "2024-03-05"},
           {"2024", "2024"},
           {"29 February 2024", "2024-02-29"},
           {"2024-03-05 10:20 - 12:30", "2024-03-05T10:20"},
       }) {
    CAPTURE(text);
    CHECK(read(text) == iso);
  }
}

TEST_CASE("text without a date or year is not read as a date") {
  for (const std::string_view text : {"",
                                      "March 5",
                                      "3月5日",
                                      "5.3.",
                                      "10:20",
                                      "29 February 2023",
                                      "2024-13-45",
                                      "31.04.2024",
                                      "v1.2.2024.7",
                                      "192.168.20.24",
                                      "1234567890123456789012345",
                                      "0000-00-00",
                                      "2024-00-00",
                                      "call 555-12-2024x",
                                      "20241399",
                                      "yesterday",
                                      "tháng 3",
                                      "5 มี.ค. 6",
                                      "1402-12/15",
                                      "\xFF\xFE"}) {
    CAPTURE(text);
    CHECK(read(text) == "none");
  }
}

TEST_CASE("day and month of ambiguous dates follow the requested order") {
  CHECK(read("3/4/2024", DayOrder::month_first) == "2024-03-04");
  CHECK(read("3/4/2024", DayOrder::day_first) == "2024-04-03");
  CHECK(read("13/4/2024", DayOrder::month_first) == "2024-04-13");
  CHECK(read("4/13/2024", DayOrder::day_first) == "2024-04-13");
  CHECK(read("3.4.2024", DayOrder::month_first) == "2024-04-03");
  CHECK(read("3/4/2567", DayOrder::month_first) == "2024-04-03");
  CHECK(find_dates("3/4/2024", DayOrder::day_first).front().ambiguous);
  CHECK_FALSE(find_dates("3/13/2024", DayOrder::day_first).front().ambiguous);
}

TEST_CASE("a short year comes first only on pages whose language writes it first") {
  CHECK(read("24-3-5 10:20", DayOrder::year_first) == "2024-03-05T10:20");
  CHECK(read("24.03.05", DayOrder::year_first) == "2024-03-05");
  CHECK(read("05.03.24") == "2024-03-05");
  CHECK(read("24-3-5 units", DayOrder::year_first) == "none");
}

TEST_CASE("all dates of a line are found in order") {
  const auto found = find_dates("Posted 1 May 2020, updated 2 May 2020 10:00 by x", DayOrder::day_first);
  REQUIRE(found.size() == 2);
  CHECK(to_iso8601(found[0].date) == "2020-05-01");
  CHECK(to_iso8601(found[1].date) == "2020-05-02T10:00");
  CHECK(found[0].begin == 7);
}

TEST_CASE("unix time is shown in the offset of the site") {
  CHECK(to_iso8601(*date_from_unix_time("1659274471", 480)) == "2022-07-31T21:34:31+08:00");
  CHECK(to_iso8601(*date_from_unix_time("1659274471000", 0)) == "2022-07-31T13:34:31Z");
  CHECK_FALSE(date_from_unix_time("16592744", 0).has_value());
  CHECK_FALSE(date_from_unix_time("99999999999999999999", 0).has_value());
  CHECK_FALSE(date_from_unix_time("abc", 0).has_value());
  CHECK_FALSE(date_from_unix_time("", 0).has_value());
}

TEST_CASE("a date stands for its first moment") {
  for (const auto& [text, moment] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"2024", "2024-01-01T00:00:00Z"},
           {"2024-03", "2024-03-01T00:00:00Z"},
           {"2024-03-05", "2024-03-05T00:00:00Z"},
           {"2024-03-05T10:20:30Z", "2024-03-05T10:20:30Z"},
           {"2024-03-05T03:20:00+08:00", "2024-03-04T19:20:00Z"},
           {"Wed, 06 Mar 2019 07:15:09 GMT", "2019-03-06T07:15:09Z"}}) {
    const auto date = parse_written_date(text);
    CAPTURE(text);
    REQUIRE(date.has_value());
    CHECK(linkherd::format_timestamp(start_of_date(*date)) == moment);
  }
}

TEST_CASE("dates before the web and after tomorrow are implausible") {
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2024) / 3 / 5);
  CHECK(is_plausible(*parse_written_date("2024-03-06"), now));
  CHECK(is_plausible(*parse_written_date("1995-01-01"), now));
  CHECK(is_plausible(*parse_written_date("2024-03"), now));
  CHECK_FALSE(is_plausible(*parse_written_date("2024-03-07"), now));
  CHECK_FALSE(is_plausible(*parse_written_date("1994-12-31"), now));
  CHECK_FALSE(is_plausible(*parse_written_date("2025"), now));
}

TEST_CASE("relative dates are counted back from the fetch") {
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2024) / 3 / 5) + std::chrono::hours(10);
  struct Row {
    std::string_view text;
    std::string_view iso;
  };
  for (const auto& [text, iso] : std::vector<Row>{
           {"昨天", "2024-03-04"},
           {"前天 10:20", "2024-03-03T10:20"},
           {"发布于 3天前", "2024-03-02"},
           {"三天前", "2024-03-02"},
           {"2 周前", "2024-02-20"},
           {"3个月前", "2023-12"},
           {"两年前", "2022"},
           {"11小时前", "2024-03-04"},
           {"刚刚", "2024-03-05"},
           {"3日前", "2024-03-02"},
           {"3일 전", "2024-03-02"},
           {"어제", "2024-03-04"},
           {"2 days ago", "2024-03-03"},
           {"Posted a week ago", "2024-02-27"},
           {"an hour ago", "2024-03-05"},
           {"yesterday", "2024-03-04"},
           {"vor 3 Tagen", "2024-03-02"},
           {"gestern, 10:20 Uhr", "2024-03-04T10:20"},
           {"il y a 3 jours", "2024-03-02"},
           {"hace 2 meses", "2024-01"},
           {"há 3 dias", "2024-03-02"},
           {"3 giorni fa", "2024-03-02"},
           {"3 дня назад", "2024-03-02"},
           {"3 gün önce", "2024-03-02"},
       }) {
    CAPTURE(text);
    const auto date = parse_relative_date(text, now);
    CHECK((date ? to_iso8601(*date) : "none") == iso);
  }
  for (const std::string_view text : {"", "yesterday we went home", "3 days", "ago", "3天", "99999 days ago",
                                      "days ago", "5 minutes read", "2 years of work", "\xFF ago"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_relative_date(text, now).has_value());
  }
}
