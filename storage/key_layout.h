// Builds and parses the keys of the store. Keys are persistent: DO NOT CHANGE a name, a width or an order. Add families
// and versions instead.
//
//   family        key                               value
//   meta          "schema"                          {"version": 2}, always in value version 1
//   meta          "identity"                        identity of the store, for its backups: 32 random hex digits
//   meta          "recount_from"                    during a merge: the time from which runs must be counted again
//   link          id (16)                           state of the link, with an excerpt of its last snapshot
//   history       id (16)  ~microseconds (8)        a snapshot that differs from the one before; newest first
//   body          SHA-256 of the payload (32)       the payload; large ones are in blob files
//   run           number (8)                        the run
//   run           number (8)  id (16)               result of a link in the run; sorted directly after the run
//   occurrences   run identity (16)  id (16)        occurrences of the link, shared by all runs of that identity
//   host          origin, as text                   state of the host
//
// Widths in parentheses are bytes. Numbers are big-endian, so that they sort numerically. A key has no separators and
// no length fields, because every part has a fixed width. The run identity in a key is the first 16 bytes of the
// SHA-256 of Run::identity. stored_values.proto describes the values.
//
// Example: https://example.com/ has the id 0f115db062b7c0dd030b16878c99dea5. Run 7 fetched it on 2026-11-01 at 00:00
// UTC, which is 1,793,491,200,000,000 (0x00065f2bb5e24000) microseconds after 1970. Spaces separate the parts:
//   link      0f115db062b7c0dd030b16878c99dea5                      16 bytes
//   history   0f115db062b7c0dd030b16878c99dea5 fff9a0d44a1dbfff     24 bytes; the second part is ~0x00065f2bb5e24000
//   run       0000000000000007                                      8 bytes: the run itself
//   run       0000000000000007 0f115db062b7c0dd030b16878c99dea5     24 bytes: the link's result in run 7
//   host      https://example.com                                   19 bytes of text
// A payload "hello" is stored in `body` under its digest 2cf24dba5fb0a30e…62938b9824 (32 bytes).
//
// The time is complemented (~), so a later snapshot has a smaller key. A scan of `history` with the id as its prefix
// therefore returns the newest snapshot first.
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
// Version 1 had only values of version 1 and no family `occurrences`.
inline constexpr std::uint64_t schema_version = 2;

std::string link_key(const LinkId& id);  // also the prefix of the link's history keys
std::string history_key(const LinkId& id, Timestamp fetched_at);
Timestamp parse_history_time(std::string_view key);
std::optional<std::string> body_key(std::string_view hex_digest);  // nullopt if the text is not a digest
std::string run_key(std::uint64_t number);                         // also the prefix of the run's result keys
std::string run_entry_key(std::uint64_t number, const LinkId& id);

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
std::optional<LinkId> parse_run_entry_key(std::string_view key);  // nullopt for any other key
std::optional<LinkId> parse_occurrences_key(std::string_view key);
std::uint64_t parse_run_number(std::string_view key);  // for keys of a run or of a result; 0 for any other key

}  // namespace linkherd::storage
