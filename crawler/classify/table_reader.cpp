#include "crawler/classify/table_reader.h"

#include <algorithm>

#include <re2/re2.h>

#include "parser/glob_pattern.h"

namespace linkherd::crawler {

void TableReader::refuse(const std::string& problem) const {
  throw std::invalid_argument(called_.empty() ? problem : fmt::format("{} {}: {}", kind_, called_, problem));
}

void TableReader::refuse_other_keys(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : table_) {
    if (std::ranges::find(known, key.str()) == known.end()) refuse(fmt::format("{} is not a valid key", key.str()));
  }
}

std::string TableReader::name(std::string_view key, std::string_view more) {
  constexpr std::size_t max_bytes = 64;
  std::string found = text(key);
  const bool fits = !found.empty() && found.size() <= max_bytes && std::ranges::all_of(found, [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
  });
  if (!fits)
    refuse(fmt::format("{} must consist of up to {} characters from a-z, 0-9 and \"{}\"", key, max_bytes, more));
  if (called_.empty()) called_ = found;
  return found;
}

std::string TableReader::text(std::string_view key) const {
  if (!has(key)) return {};
  const auto value = table_[key].value_exact<std::string>();
  if (!value) refuse(fmt::format("{} must be a string", key));
  return *value;
}

std::optional<std::int64_t> TableReader::number(std::string_view key, std::int64_t max) const {
  if (!has(key)) return std::nullopt;
  const auto value = table_[key].value_exact<std::int64_t>();
  if (!value || *value < 0 || *value > max) refuse(fmt::format("{} must be a number from 0 to {}", key, max));
  return value;
}

std::optional<double> TableReader::share(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const auto value = table_[key].value<double>();
  const bool fits = value && *value >= 0 && *value <= 1;
  if (!fits) refuse(fmt::format("{} must be a number from 0 to 1", key));
  return value;
}

std::shared_ptr<const LazyPattern> TableReader::pattern(const std::string& text) const {
  const std::optional<std::string> regex = built_in_ ? std::nullopt : parser::regex_for_glob(text);
  if (regex) refuse(fmt::format("{} is a glob, but a regular expression is needed: '{}'", text, *regex));
  auto made = std::make_shared<const LazyPattern>(text);
  if (!built_in_ && !made->compiled().ok())
    refuse(fmt::format("its pattern cannot be used: {}", made->compiled().error()));
  return made;
}

}  // namespace linkherd::crawler
