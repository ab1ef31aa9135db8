#include "tests/end_to_end/planted_facts.h"

#include <chrono>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace linkherd::tests {
namespace {

constexpr std::array<std::string_view, 8> chinese_topics{"大模型训练", "流水线并行", "注意力机制", "混合精度",
                                                         "显存优化",   "张量切分",   "推理框架",   "词向量"};
constexpr std::array<std::string_view, 6> chinese_aspects{"入门",     "源码解读", "实践总结",
                                                          "原理推导", "踩坑记录", "图解"};
constexpr std::array<std::string_view, 8> chinese_names{"罗西",     "猛猿",   "简枫",   "方佳瑞",
                                                        "迷途书僮", "姜富春", "王晓明", "李小沐"};
constexpr std::array<std::string_view, 8> english_topics{"Attention",     "Pipeline Schedules", "Warp Shuffles",
                                                         "Memory Layout", "Mixed Precision",    "Expert Routing",
                                                         "Tensor Shapes", "Training Loops"};
constexpr std::array<std::string_view, 6> english_openings{"Understanding", "Notes on",         "The Mathematics of",
                                                           "Measuring",     "A Field Guide to", "Rethinking"};
constexpr std::array<std::string_view, 8> first_names{"Jay",   "Lilian", "Horace",  "Edward",
                                                      "Maria", "Tim",    "Quentin", "Sasha"};
constexpr std::array<std::string_view, 8> last_names{"Alvarez", "Brennan", "Castell",   "Dettner",
                                                     "Ellwood", "Fischer", "Grootveld", "Huang"};
constexpr std::array<std::string_view, 16> syllables{"ba", "ke", "li", "mo", "nu", "ra", "se", "ti",
                                                     "vo", "zu", "da", "fe", "gi", "lo", "pu", "xa"};
constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};

// Pseudorandom numbers that depend only on the text. FNV-1a gives the seed of a linear congruential generator.
class Draw {
 public:
  explicit Draw(std::string_view text) {
    for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % bound;
  }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1))); }
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& words) {
    return words[below(N)];
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

// Returns a word that no other page has, which makes titles unique.
std::string code_word(Draw& draw) {
  std::string word;
  for (int i = 0; i < 5; ++i) word += draw.one_of(syllables);
  word.front() = static_cast<char>(word.front() - 'a' + 'A');
  return word;
}

std::string english_name(Draw& draw) {
  const std::string_view first = draw.one_of(first_names);
  return fmt::format("{} {}", first, draw.one_of(last_names));
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> segments;
  std::istringstream in(path);
  for (std::string segment; std::getline(in, segment, '/');) {
    if (!segment.empty()) segments.push_back(segment);
  }
  return segments;
}

std::string last_first(const std::string& name) {
  const std::size_t space = name.find(' ');
  return space == std::string::npos ? name : name.substr(space + 1) + ", " + name.substr(0, space);
}

}  // namespace

PlantedFacts planted_facts(const std::string& url, Language language) {
  PlantedFacts facts;
  facts.url = url;
  const std::size_t host_start = url.find("://");
  if (host_start == std::string::npos) throw std::invalid_argument("no absolute URL: " + url);
  const std::size_t path_start = std::min(url.find('/', host_start + 3), url.size());
  facts.host = url.substr(host_start + 3, path_start - host_start - 3);
  facts.path = url.substr(path_start, url.find_first_of("?#", path_start) - path_start);
  facts.segments = split_path(facts.path);

  Draw draw(facts.host + facts.path);
  if (language == Language::chinese) {
    const std::string_view topic = draw.one_of(chinese_topics);
    const std::string_view aspect = draw.one_of(chinese_aspects);
    facts.title = fmt::format("{}{}（{}）", topic, aspect, code_word(draw));
    for (std::string& name : facts.authors) name = draw.one_of(chinese_names);
  } else {
    const std::string_view opening = draw.one_of(english_openings);
    const std::string_view topic = draw.one_of(english_topics);
    facts.title = fmt::format("{} {} in {}", opening, topic, code_word(draw));
    for (std::string& name : facts.authors) name = english_name(draw);
  }
  facts.published.year = draw.between(2018, 2023);
  facts.published.month = draw.between(1, 12);
  facts.published.day = draw.between(1, 28);
  facts.published.hour = draw.between(0, 23);
  facts.published.minute = draw.between(0, 59);
  facts.published.second = draw.between(1, 59);
  return facts;
}

std::string date_of(const WallTime& time, char separator) {
  return fmt::format("{:04}{}{:02}{}{:02}", time.year, separator, time.month, separator, time.day);
}
std::string minute_of(const WallTime& time) { return fmt::format("{:02}:{:02}", time.hour, time.minute); }
std::string time_of(const WallTime& time) { return fmt::format("{}:{:02}", minute_of(time), time.second); }

std::string english_day(const WallTime& time) {
  return fmt::format("{} {}, {}", months.at(static_cast<std::size_t>(time.month) - 1), time.day, time.year);
}

std::int64_t unix_time_in_china(const WallTime& time) {
  const std::chrono::year_month_day day{std::chrono::year(time.year),
                                        std::chrono::month(static_cast<unsigned>(time.month)),
                                        std::chrono::day(static_cast<unsigned>(time.day))};
  const std::chrono::sys_seconds at = std::chrono::sys_days(day) + std::chrono::hours(time.hour - 8) +
                                      std::chrono::minutes(time.minute) + std::chrono::seconds(time.second);
  return at.time_since_epoch().count();
}

std::map<std::string, std::string> placeholders(const PlantedFacts& facts) {
  const WallTime& time = facts.published;
  const std::string day = date_of(time, '-');
  const std::string plain = day + "T" + time_of(time);
  const auto segment = [&facts](std::size_t i) {
    return i < facts.segments.size() ? facts.segments[i] : std::string();
  };
  return {
      {"url", facts.url},
      {"host", facts.host},
      {"id", facts.segments.empty() ? std::string() : facts.segments.back()},
      {"handle", segment(0)},
      {"question", segment(1)},
      {"repository", segment(0) + "/" + segment(1)},
      {"title", facts.title},
      {"author", facts.authors[0]},
      {"author2", facts.authors[1]},
      {"author_last_first", last_first(facts.authors[0])},
      {"author2_last_first", last_first(facts.authors[1])},
      {"marker", "This text is on no other page: " + facts.host + facts.path},
      {"site", "The Site of " + facts.host.substr(0, facts.host.find('.'))},
      {"charset", "utf-8"},
      {"unix", std::to_string(unix_time_in_china(time))},
      {"plain", plain},
      {"china", plain + "+08:00"},
      {"utc_offset", plain + "+00:00"},
      {"utc_milliseconds", plain + ".000Z"},
      {"pacific", plain + "-07:00"},
      {"space", day + " " + time_of(time)},
      {"minute", day + " " + minute_of(time)},
      {"day", day},
      {"slash_day", date_of(time, '/')},
      {"english_day", english_day(time)},
  };
}

}  // namespace linkherd::tests
