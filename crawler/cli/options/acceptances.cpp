#include "crawler/cli/options/acceptances.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>
#include <re2/re2.h>
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include "parser/ascii.h"
#include "parser/glob_pattern.h"
#include "parser/pattern_set.h"
#include "parser/url/credentials.h"
#include "parser/url/url.h"
#include "reports/escape.h"
#include "reports/messages.h"

namespace linkherd::crawler {
namespace {

using reports::Acceptance;

constexpr std::size_t max_text_bytes = 2000;  // of a value
constexpr std::int64_t pattern_memory = std::int64_t{8} << 20;
constexpr std::array<std::string_view, 5> known_keys{"url", "pattern", "reason", "until", "by"};

// Throws std::invalid_argument.
std::string text_of(const toml::table& table, std::string_view key) {
  if (!table.contains(key)) return {};
  if (const auto date = table[key].value_exact<toml::date>(); date && key == "until") {
    return fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
  }
  const auto value = table[key].value_exact<std::string>();
  if (!value || parser::trim_ascii(*value).empty())
    throw std::invalid_argument(fmt::format("{} must be a non-empty string", key));
  if (value->size() > max_text_bytes) throw std::invalid_argument(fmt::format("{} is too long", key));
  return *value;
}

// Returns the same key for all spellings of a URL. The path of a file is unchanged. The URLs of links have masked
// passwords.
std::string key_of(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  return parser::mask_password(parsed.has_value() ? parsed->href_without_fragment() : std::string_view(url));
}

std::string day_of(Timestamp time) { return format_timestamp(time).substr(0, 10); }

struct AcceptedTable {
  Acceptance acceptance;
  std::string url;
  std::string pattern;
};

std::string without_stars(std::string url) {
  while (url.ends_with('*')) url.pop_back();
  return url;
}

// Returns true if the host contains a star. A star in the path may be literal:
// https://web.archive.org/web/*/https://a.example/.
bool has_wildcard(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  std::string host = url.substr(begin, url.find('/', begin) - begin);
  host.erase(0, host.rfind('@') + 1);  // masked passwords are written as ***
  return url.ends_with('*') || host.find('*') != std::string::npos;
}

AcceptedTable read_table(const toml::table& table) {
  for (const auto& [key, value] : table) {
    if (std::ranges::find(known_keys, key.str()) == known_keys.end())
      throw std::invalid_argument(fmt::format("{} is not a key of [[accepted]]", key.str()));
  }
  AcceptedTable read;
  read.url = text_of(table, "url");
  read.pattern = text_of(table, "pattern");
  read.acceptance = {text_of(table, "reason"), text_of(table, "until"), text_of(table, "by")};
  if (read.url.empty() == read.pattern.empty())
    throw std::invalid_argument("an [[accepted]] table needs either url or pattern");
  if (has_wildcard(read.url)) {
    const std::string regex = parser::regex_for_glob(read.url).value_or(re2::RE2::QuoteMeta(without_stars(read.url)));
    throw std::invalid_argument(
        fmt::format("url must be a single address, but {} is a glob: use pattern = '{}'", read.url, regex));
  }
  if (read.acceptance.reason.empty()) throw std::invalid_argument("an [[accepted]] table needs a reason");
  const std::string& until = read.acceptance.until;
  if (until.size() != 10 || parse_timestamp(until + "T00:00:00Z").has_error())
    throw std::invalid_argument("an [[accepted]] table needs a last day: until = 2027-01-31");
  return read;
}

std::shared_ptr<const re2::RE2> compiled(const std::string& pattern) {
  if (const std::optional<std::string> regex = parser::regex_for_glob(pattern))
    throw std::invalid_argument(
        fmt::format("{} is a glob, but a regular expression is needed: pattern = '{}'", pattern, *regex));
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory);
  auto expression = std::make_shared<re2::RE2>(pattern, options);
  if (!expression->ok())
    throw std::invalid_argument(fmt::format("the pattern {} cannot be used: {}", pattern, expression->error()));
  return expression;
}

}  // namespace

// The acceptances with patterns that are valid on a day. All patterns are matched at once.
struct Acceptances::ValidPatterns {
  parser::PatternSet set;
  std::vector<const Acceptance*> acceptances;  // one per pattern

  const Acceptance* find(std::string_view url) const {
    const std::optional<std::size_t> found = set.first_match(url);
    return found ? acceptances[*found] : nullptr;
  }
};

Result<Acceptances> Acceptances::read(std::string_view toml) {
  try {
    const toml::table parsed = toml::parse(toml);
    const toml::array* tables = parsed[accepted_section].as_array();
    if (tables == nullptr) return Error{"accepted must be an array of tables: [[accepted]]"};
    Acceptances read;
    for (const toml::node& item : *tables) {
      if (!item.is_table()) return Error{"accepted must be an array of tables: [[accepted]]"};
      AcceptedTable table = read_table(*item.as_table());
      const std::size_t number = read.all_.size();
      if (table.url.empty()) {
        read.by_pattern_.emplace_back(compiled(table.pattern), number);
      } else {
        read.by_url_.insert_or_assign(key_of(table.url), number);
      }
      read.names_.push_back(table.url.empty() ? table.pattern : parser::mask_password(table.url));
      read.all_.push_back(std::make_shared<const Acceptance>(std::move(table.acceptance)));
    }
    return read;
  } catch (const toml::parse_error& error) {
    return Error{std::string(error.description())};
  } catch (const std::invalid_argument& error) {
    return Error{error.what()};
  }
}

void Acceptances::append(const Acceptances& others) {
  const std::size_t first = all_.size();
  all_.insert(all_.end(), others.all_.begin(), others.all_.end());
  names_.insert(names_.end(), others.names_.begin(), others.names_.end());
  for (const auto& [url, number] : others.by_url_) by_url_.insert_or_assign(url, first + number);
  for (const auto& [pattern, number] : others.by_pattern_) by_pattern_.emplace_back(pattern, first + number);
}

const Acceptance* Acceptances::find(const storage::LinkResult& result, std::string_view today,
                                    const ValidPatterns& patterns) const {
  const auto valid = [this, today](std::size_t number) -> const Acceptance* {
    return all_[number]->until >= today ? all_[number].get() : nullptr;
  };
  const auto of_url = [this, &valid](const std::string& url) -> const Acceptance* {
    const auto found = by_url_.find(url);
    return found == by_url_.end() ? nullptr : valid(found->second);
  };
  const std::string& url = result.url;
  if (const Acceptance* found = of_url(url)) return found;
  for (const parser::LinkOccurrence& occurrence : result.occurrences) {
    if (const Acceptance* found = of_url(occurrence.url)) return found;
  }
  return patterns.find(url);
}

Acceptances::ValidPatterns Acceptances::patterns_valid_on(std::string_view today) const {
  ValidPatterns valid;
  std::vector<std::shared_ptr<const re2::RE2>> patterns;
  for (const auto& [pattern, number] : by_pattern_) {
    if (all_[number]->until < today) continue;
    patterns.push_back(pattern);
    valid.acceptances.push_back(all_[number].get());
  }
  valid.set = parser::PatternSet(std::move(patterns));
  return valid;
}

reports::FindAcceptance Acceptances::finder(Timestamp now) const {
  const std::string today = day_of(now);
  const auto patterns = std::make_shared<const ValidPatterns>(patterns_valid_on(today));
  return [this, today, patterns](const storage::LinkResult& result) { return find(result, today, *patterns); };
}

std::vector<std::string> Acceptances::expired(Timestamp now) const {
  std::vector<std::string> names;
  const std::string today = day_of(now);
  const ValidPatterns patterns = patterns_valid_on(today);
  std::unordered_set<std::string> renewed;  // by a later table, because the last table counts
  for (std::size_t i = all_.size(); i-- > 0;) {
    const std::string key = key_of(names_[i]);
    if (!renewed.insert(key).second || all_[i]->until >= today || patterns.find(key) != nullptr) continue;
    names.push_back(fmt::format("{} (until {})", names_[i], all_[i]->until));
  }
  std::ranges::reverse(names);
  return names;
}

OptionTarget read_accepted(std::shared_ptr<const Acceptances>& accepted) {
  return read_tables(
      accepted_section, [] { return Acceptances(); }, accepted);
}

reports::FindAcceptance find_accepted(const std::shared_ptr<const Acceptances>& accepted, Timestamp now) {
  if (accepted == nullptr) return {};
  for (const std::string& name : accepted->expired(now)) {
    spdlog::warn(fmt::format("the acceptance of {} has expired: its failures count again; see linkherd accept",
                             reports::escape_for_terminal(name)));
  }
  return accepted->finder(now);
}

}  // namespace linkherd::crawler
