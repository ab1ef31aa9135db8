#include "crawler/run/crawler_traps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/tracking_parameters.h"

namespace linkherd::crawler {
namespace {

constexpr std::size_t max_url_bytes = 2048;  // of path and query together
constexpr std::size_t max_rounds = 3;        // of a group of path segments, and of a parameter with the same value
constexpr std::size_t max_per_name = 5;      // parameters with the same name, unless the name is that of a list

constexpr std::array<std::string_view, 10> calendar_words{"calendar", "kalender", "event", "agenda",  "schedule",
                                                          "archive",  "month",    "week",  "termine", "diary"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return parser::is_ascii_digit(c); });
}

int number_in(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Returns true if a group of segments repeats consecutively. Groups of numbers only may repeat: /1/1/1.
bool repeats_segments(const std::vector<std::string_view>& segments) {
  constexpr std::size_t max_round_segments = 4;
  for (std::size_t round = 1; round <= max_round_segments; ++round) {
    std::size_t equal = 0;  // consecutive segments that equal those of the previous round
    bool has_word = false;
    for (std::size_t i = round; i < segments.size(); ++i) {
      const bool is_equal = segments[i] == segments[i - round];
      equal = is_equal ? equal + 1 : 0;
      has_word = is_equal && (has_word || !is_number(segments[i]));
      if (has_word && equal >= round * (max_rounds - 1)) return true;
    }
  }
  return false;
}

struct Parameter {
  std::string_view name;
  std::string_view value;
};

std::vector<Parameter> parameters_of(std::string_view query) {
  std::vector<Parameter> parameters;
  for (const std::string_view part : split(query, '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    parameters.push_back({part.substr(0, equals), part.substr(std::min(equals + 1, part.size()))});
  }
  return parameters;
}

bool is_list_name(std::string_view name) { return name.ends_with("[]") || name.ends_with("%5B%5D"); }

bool repeats_parameters(const std::vector<Parameter>& parameters) {
  std::map<std::string_view, std::size_t> names;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> pairs;
  return std::ranges::any_of(parameters, [&](const Parameter& parameter) {
    if (++pairs[{parameter.name, parameter.value}] >= max_rounds) return true;
    return ++names[parameter.name] >= max_per_name && !is_list_name(parameter.name);
  });
}

bool has_calendar_word(std::string_view text) {
  return parser::equals_ignoring_case(text, "cal") ||
         std::ranges::any_of(calendar_words,
                             [text](std::string_view word) { return parser::contains_ignoring_case(text, word); });
}

// Accepts "2031-05" and "2031-05-01".
std::optional<int> year_of_date(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].size() != 4 || !std::ranges::all_of(parts, is_number))
    return std::nullopt;
  return number_in(parts[1]) <= 12 ? std::optional(number_in(parts[0])) : std::nullopt;
}

std::optional<int> year_in_path(const std::vector<std::string_view>& segments) {
  if (segments.empty()) return std::nullopt;
  if (const auto year = year_of_date(segments.back())) return year;
  // YYYY/MM or YYYY/MM/DD must be at the end. It must also be the whole path or follow a calendar word.
  std::size_t first = segments.size();
  while (first > 0 && is_number(segments[first - 1])) --first;
  const std::size_t numbers = segments.size() - first;
  if (numbers < 2 || numbers > 3 || segments[first].size() != 4 || number_in(segments[first + 1]) > 12)
    return std::nullopt;
  const bool is_dated =
      first == 0 ||
      std::any_of(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(first), has_calendar_word);
  return is_dated ? std::optional(number_in(segments[first])) : std::nullopt;
}

std::optional<int> year_in_query(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    if (const auto year = year_of_date(parameter.value)) return year;
    const bool is_year = parser::contains_ignoring_case(parameter.name, "year");
    if (is_year && parameter.value.size() == 4 && is_number(parameter.value)) return number_in(parameter.value);
  }
  return std::nullopt;
}

std::optional<int> calendar_year(const parser::Url& url) {
  if (const auto year = year_in_query(parameters_of(url.query()))) return year;
  return year_in_path(split(url.path(), '/'));
}

int year_of(Timestamp time) {
  return static_cast<int>(std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(time)).year());
}

bool is_session(const Parameter& parameter) {
  return !parameter.value.empty() && parser::is_session_parameter(parser::to_ascii_lower(parameter.name));
}

}  // namespace

std::optional<std::string> endless_address(const parser::Url& url, Timestamp now) {
  if (url.path().size() + url.query().size() > max_url_bytes)
    return fmt::format("its path and query are longer than {} bytes", max_url_bytes);
  if (repeats_segments(split(url.path(), '/'))) return "its path repeats the same segments";
  if (repeats_parameters(parameters_of(url.query()))) return "its query repeats the same parameters";
  if (url.query().find("%252525") != std::string_view::npos) return "its query is percent-encoded again and again";
  const std::optional<int> year = calendar_year(url);
  if (year && *year > year_of(now) + 1) return fmt::format("a calendar page for the year {}", *year);
  return std::nullopt;
}

std::optional<std::string> calendar_of(const parser::Url& url) {
  if (!calendar_year(url)) return std::nullopt;
  std::string shape;
  for (const char c : url.href_without_fragment()) {
    if (!parser::is_ascii_digit(c)) {
      shape += c;
    } else if (!shape.ends_with('0')) {
      shape += '0';
    }
  }
  return shape;
}

std::optional<std::string> without_session(const parser::Url& url) {
  const std::string_view href = url.href_without_fragment();
  std::string text(href.substr(0, url.has_query() ? href.size() - url.query().size() - 1 : href.size()));
  bool has_session = false;
  if (const std::size_t at = text.rfind(';'); at != std::string::npos && at > text.rfind('/')) {
    const std::vector<Parameter> parameters = parameters_of(std::string_view(text).substr(at + 1));
    has_session = parameters.size() == 1 && is_session(parameters.front());
    if (has_session) text.resize(at);
  }
  char separator = '?';
  for (const std::string_view part : split(url.query(), '&')) {
    if (is_session(parameters_of(part).front())) {
      has_session = true;
    } else {
      text.append(1, std::exchange(separator, '&')).append(part);
    }
  }
  return has_session ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace linkherd::crawler
