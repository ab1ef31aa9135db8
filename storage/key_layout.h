// Builds and parses the keys of the store. docs/store-format.md has an example of each. Keys are persistent: DO NOT
// CHANGE a name, a width or an order without a new schema version.
//
//   family        key
//   meta          "schema", "identity" or "disputed " + id in hexadecimal; values are plain text
//   link          id (16)
//   history       id (16)  ~microseconds (8)
//   body          SHA-256 of the page (32)
//   run           number (8)
//   run           number (8)  id (16)                   the result of a link, sorted directly after its run
//   occurrences   first half of the run identity's SHA-256 (16)  id (16)
//   host          origin, as text
//
// Widths in parentheses are bytes. A key has no separators and no length fields, because every part has a fixed width.
// Numbers are big-endian, so that they sort numerically. The time is complemented (~): a scan of `history` for an id
// returns the newest snapshot first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/enum_names.h"
#include "parser/timestamp.h"
#include "storage/link_id.h"

namespace linkherd::storage {

enum class Family : std::uint8_t { meta, link, history, body, run, host, occurrences };
inline constexpr std::array<EnumName<Family>, 7> family_names{{{Family::meta, "meta"},
                                                               {Family::link, "link"},
                                                               {Family::history, "history"},
                                                               {Family::body, "body"},
                                                               {Family::run, "run"},
                                                               {Family::host, "host"},
                                                               {Family::occurrences, "occurrences"}}};

inline constexpr std::string_view schema_key = "schema";
// Version of the keys and values of a store, as stored. A store with another version is refused.
inline constexpr std::string_view schema_version = "1";

std::string link_key(const LinkId& id);  // also the prefix of the link's history keys
std::string history_key(const LinkId& id, Timestamp fetched_at);
Timestamp parse_history_time(std::string_view key);
std::optional<std::string> body_key(std::string_view hex_digest);  // nullopt if the text is not a digest
std::string run_key(std::uint64_t number);                         // also the prefix of the run's result keys
std::string result_key(std::uint64_t number, const LinkId& id);

// Builds the keys of the family `occurrences` for all runs with one identity.
class OccurrencesKeys {
 public:
  explicit OccurrencesKeys(std::string_view run_identity);
  std::string of(const LinkId& id) const;

 private:
  std::string prefix_;
};

std::optional<LinkId> parse_link_key(
    std::string_view key);  // for keys of `link` and `history`; nullopt for any other key
std::optional<LinkId> parse_result_key(std::string_view key);  // nullopt for any other key
std::optional<LinkId> parse_occurrences_key(std::string_view key);
std::uint64_t parse_run_number(std::string_view key);  // for keys of a run or of a result; 0 for any other key

}  // namespace linkherd::storage
