// The keys of the store. They are persistent: DO NOT CHANGE a name, a width or an order; add families and versions
// instead.
//
//   family        key                               value
//   meta          "schema"                          {"version": 2}, always in value version 1
//   meta          "identity"                        which store it is, for its backups: random, 32 hexadecimal digits
//   meta          "recount_from"                    during a merge: the time from which runs are to be counted again
//   link          id (16)                           the record of the link, with an excerpt of its last snapshot
//   history       id (16)  ~microseconds (8)        a snapshot that differs from the one before; newest first
//   body          SHA-256 of the payload (32)       the payload; large ones in blob files
//   run           number (8)                        the run
//   run           number (8)  id (16)               its entry for a link; sorted directly after the run
//   occurrences   SHA-256 of the run's identity, the first 16 bytes  id (16)
//                                                   the occurrences of the link, for all runs of that identity
//   host          origin, as text                   the state of the host
//
// Numbers are big-endian, so that they sort numerically. The format of the values is in stored_values.proto.
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
inline constexpr std::string_view recount_key = "recount_from";
inline constexpr std::uint64_t schema_version = 2;  // 1: only values of version 1, no family `occurrences`

std::string link_key(const LinkId& id);  // also the prefix of its history keys
std::string history_key(const LinkId& id, Timestamp fetched_at);
Timestamp time_of_history_key(std::string_view key);
std::optional<std::string> body_key(std::string_view hex_digest);  // nullopt if it is not a digest
std::string run_key(std::uint64_t number);                         // also the prefix of its entries
std::string run_entry_key(std::uint64_t number, const LinkId& id);

// Those of the occurrences of links, for all runs of one identity.
class OccurrencesKeys {
 public:
  explicit OccurrencesKeys(std::string_view run_identity);
  std::string of(const LinkId& id) const;

 private:
  std::string prefix_;
};

std::optional<LinkId> link_of_key(std::string_view key);            // of the families link and history
std::optional<LinkId> link_of_run_entry_key(std::string_view key);  // nullopt for any other key
std::optional<LinkId> link_of_occurrences_key(std::string_view key);
std::uint64_t run_number_of_key(std::string_view key);  // of a run or an entry; 0 for any other key

}  // namespace linkherd::storage
