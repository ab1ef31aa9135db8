// Fuzzes the parsers of dates and bylines. A found date must be a calendar day, and its reported position must be
// correct.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "parser/metadata/authors.h"
#include "parser/metadata/credits.h"
#include "parser/metadata/dates/dates.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

void must_be_a_date(const WrittenDate& date) {
  must(date.month >= 0 && date.month <= 12 && date.day >= 0 && date.day <= 31);
  must(date.month != 0 || date.day == 0);
  must(date.hour >= -1 && date.hour <= 24 && date.minute >= -1 && date.minute <= 59);
  must(date.second >= -1 && date.second <= 60);
  if (date.has_day()) {
    must(std::chrono::year_month_day(std::chrono::year(date.year),
                                     std::chrono::month(static_cast<unsigned>(date.month)),
                                     std::chrono::day(static_cast<unsigned>(date.day)))
             .ok());
  }
  const std::string text = to_iso8601(date);
  must(text.size() >= 4 && text.size() <= 32);
  if (is_plausible(date, fuzzing_now)) must(parse_written_date(text) == date);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = to_valid_utf8(std::string(data, data + size));
  for (const DayOrder order : {DayOrder::day_first, DayOrder::month_first}) {
    for (const FoundDate& found : find_dates(text, order)) {
      must(found.begin < found.end && found.end <= text.size());
      must_be_a_date(found.date);
    }
    if (const auto date = parse_written_date(text, order)) must_be_a_date(*date);
  }
  if (const auto date = parse_relative_date(text, fuzzing_now)) must_be_a_date(*date);
  if (const auto date = date_from_unix_time(text, 480)) must_be_a_date(*date);
  month_by_name(text);

  for (const std::string& name : names_in_byline(text, {"site"})) must(!name.empty() && is_valid_utf8(name));
  must(is_valid_utf8(clean_name(text)));
  must(is_valid_utf8(swap_last_first(text)));
  looks_like_person(text);
  find_credits(text);
  return 0;
}
