// The keys of the store. Everything here is on disk: DO NOT CHANGE a name, a width or an order; add families and
// versions instead.
//
//   family        key                               value
//   meta          "schema"                          {"version": 2}, in value version 1 for ever
//   link          id (16)                           the link's record, without its snapshot
//   history       id (16)  ~microseconds (8)        a snapshot that differs from the one before; the newest is first
//   body          SHA-256 of the payload (32)       the payload itself; large ones in blob files
//   run           number (8)                        the run
//   run           number (8)  id (16)               its entry for a link; right behind the run
//   occurrences   SHA-256 of the run's identity, the first 16 bytes  id (16)
//                                                   where the link is written; for all runs of that identity
//   host          origin, as text                   what is known of the host
//
// Numbers are big-endian, so that the order of bytes is the order of numbers. The format of values:
// stored_values.proto.
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
inline constexpr std::uint64_t schema_version = 2;  // 1: values of version 1 alone, no family `occurrences`

std::string link_key(const LinkId& id);  // also the prefix of all history of that link
std::string history_key(const LinkId& id, Timestamp fetched_at);
std::optional<std::string> body_key(std::string_view hex_digest);  // nothing where it is no digest
std::string run_key(std::uint64_t number);                         // also the prefix of its entries
std::string run_entry_key(std::uint64_t number, const LinkId& id);
std::string occurrences_key(std::string_view run_identity, const LinkId& id);

std::optional<LinkId> link_of_run_entry_key(std::string_view key);  // nothing where it is another key
std::uint64_t run_number_of_key(std::string_view key);              // of a run or an entry; 0 where it is neither

}  // namespace linkherd::storage
