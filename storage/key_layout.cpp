#include "storage/key_layout.h"

#include <algorithm>

namespace linkherd::storage {
namespace {

constexpr std::size_t number_width = 8;
constexpr std::size_t id_width = 16;

void append_big_endian(std::string& key, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift & 0xFF));
}

std::uint64_t number_at(std::string_view key) {
  std::uint64_t number = 0;
  for (const char byte : key.substr(0, number_width)) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

}  // namespace

std::string link_key(const LinkId& id) { return {id.bytes.begin(), id.bytes.end()}; }

std::string history_key(const LinkId& id, Timestamp fetched_at) {
  std::string key = link_key(id);
  // Times before 1970 are clamped: they would sort as the far future.
  const std::int64_t microseconds = std::max<std::int64_t>(0, fetched_at.time_since_epoch().count());
  append_big_endian(key, ~static_cast<std::uint64_t>(microseconds));
  return key;
}

Timestamp parse_history_time(std::string_view key) {
  return Timestamp(Duration(static_cast<std::int64_t>(~number_at(key.substr(id_width)))));
}

std::optional<std::string> body_key(std::string_view hex_digest) {
  if (hex_digest.size() != 4 * id_width) return std::nullopt;
  const std::optional<LinkId> front = LinkId::from_hex(hex_digest.substr(0, 2 * id_width));
  const std::optional<LinkId> back = LinkId::from_hex(hex_digest.substr(2 * id_width));
  if (!front || !back) return std::nullopt;
  return link_key(*front) + link_key(*back);
}

std::string run_key(std::uint64_t number) {
  std::string key;
  append_big_endian(key, number);
  return key;
}

std::string result_key(std::uint64_t number, const LinkId& id) { return run_key(number) + link_key(id); }

OccurrencesKeys::OccurrencesKeys(std::string_view run_identity) : prefix_(link_key(LinkId::of_text(run_identity))) {}

std::string OccurrencesKeys::of(const LinkId& id) const { return prefix_ + link_key(id); }

std::optional<LinkId> parse_link_key(std::string_view key) {
  if (key.size() != id_width && key.size() != id_width + number_width) return std::nullopt;
  LinkId id;
  std::ranges::copy(key.substr(0, id_width), id.bytes.begin());
  return id;
}

std::optional<LinkId> parse_result_key(std::string_view key) {
  if (key.size() != number_width + id_width) return std::nullopt;
  return parse_link_key(key.substr(number_width));
}

std::optional<LinkId> parse_occurrences_key(std::string_view key) {
  return key.size() == 2 * id_width ? parse_link_key(key.substr(id_width)) : std::nullopt;
}

std::uint64_t parse_run_number(std::string_view key) {
  if (key.size() != number_width && !parse_result_key(key)) return 0;
  return number_at(key);
}

}  // namespace linkherd::storage
