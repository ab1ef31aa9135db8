#include "parser/lists/bookmark_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_tags = 50;
constexpr std::size_t max_tag_bytes = 100;

constexpr std::array<std::string_view, 4> tag_names{"tags", "tag", "标签", "標籤"};
constexpr std::array<std::string_view, 9> added_names{
    "add_date", "time_added", "date_added", "added", "added_at", "created_at", "created", "date_created", "createdat"};

std::optional<Timestamp> time_since_1970(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number <= 0) return std::nullopt;
  constexpr std::int64_t max_seconds = 100'000'000'000;  // the year 5138; as milliseconds, the year 1973
  if (number < max_seconds) return Timestamp(std::chrono::seconds(number));
  if (number < max_seconds * 1000) return Timestamp(std::chrono::milliseconds(number));
  const Timestamp time{std::chrono::microseconds(number)};
  return time < Timestamp(std::chrono::seconds(max_seconds)) ? std::optional(time) : std::nullopt;
}

std::optional<Timestamp> time_of(std::string_view text) {
  text = trim_ascii(text);
  if (text.empty() || text.size() > 40) return std::nullopt;
  if (std::ranges::all_of(text, is_ascii_digit)) return time_since_1970(text);
  if (const Result<Timestamp> time = parse_timestamp(text); time.has_value()) return *time;
  const Result<Timestamp> in_utc = parse_timestamp(std::string(text) + 'Z');
  return in_utc.has_value() ? std::optional(*in_utc) : std::nullopt;
}

}  // namespace

BookmarkField find_bookmark_field(std::string_view name) {
  if (name.size() > 32) return BookmarkField::none;
  const std::string lower = to_ascii_lower(trim_ascii(name));
  if (is_one_of(tag_names, lower)) return BookmarkField::tags;
  if (is_one_of(added_names, lower)) return BookmarkField::added;
  return lower == "folder" ? BookmarkField::folder : BookmarkField::none;
}

void add_bookmark_field(BookmarkInfo& info, BookmarkField field, std::string_view value) {
  if (field == BookmarkField::added && !info.added) info.added = time_of(value);
  if (field != BookmarkField::tags) return;
  while (!value.empty() && info.tags.size() < max_tags) {
    const std::size_t end = std::min(value.find_first_of(",;|"), value.size());
    std::string tag(truncate_utf8(trim_ascii(value.substr(0, end)), max_tag_bytes));
    if (!tag.empty() && std::ranges::find(info.tags, tag) == info.tags.end()) info.tags.push_back(std::move(tag));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

}  // namespace linkherd::parser
