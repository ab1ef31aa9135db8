// Invents the title, authors and date of a planted page. They depend only on the URL without its query.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::tests {

enum class Language { english, chinese };

// A local time; the page determines the UTC offset.
struct WallTime {
  int year = 2020, month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

struct PlantedFacts {
  std::string url;  // as requested
  std::string host;
  std::string path;                   // without query
  std::vector<std::string> segments;  // of the path
  std::string title;
  std::array<std::string, 2> authors;
  WallTime published;
};

PlantedFacts planted_facts(const std::string& url, Language language);

std::string date_of(const WallTime& time, char separator);  // "2024-05-06"
std::string time_of(const WallTime& time);                  // "15:44:46"
std::string minute_of(const WallTime& time);                // "15:44"
std::string english_day(const WallTime& time);              // "May 6, 2024"
std::int64_t unix_time_in_china(const WallTime& time);

// Returns the values of all placeholders of the page templates, by name.
std::map<std::string, std::string> placeholders(const PlantedFacts& facts);

}  // namespace linkherd::tests
