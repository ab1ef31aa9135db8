// The values of the store as bytes, and back. Written in version 2 (stored_values.proto); version 1 (JSON) is read as
// well. Reading returns an Error for what is malformed or newer, and never throws on foreign bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/result.h"
#include "storage/excerpt.h"
#include "storage/host_state.h"
#include "storage/link_record.h"
#include "storage/run.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

std::string encode_snapshot(const Snapshot& snapshot);
Result<Snapshot> decode_snapshot(std::string_view stored);

// For messages and temporary files: a verdict alone. None is empty.
std::string encode_verdict(const std::optional<Verdict>& verdict);
Result<std::optional<Verdict>> decode_verdict(std::string_view encoded);

// To be appended to an encoded snapshot: whether its body was stored.
std::string encode_body_mark(bool has_body);
bool has_body_mark(std::string_view stored);  // false in version 1, which cannot have one

// What a row of the history says of the body.
struct BodyReference {
  std::string digest;
  bool is_there = false;       // the page was
  bool may_be_stored = false;  // older versions did not note it
  bool was_stored = false;     // and was not given up since
};
Result<BodyReference> body_reference(std::string_view stored);

// The row of a link. Its snapshot is a row of the history, at `snapshot_at`; version 1 holds it in the record.
struct StoredLink {
  LinkRecord record;
  std::optional<Timestamp> snapshot_at;
  std::string last_check;          // what a later look that found the same says of itself; empty where there was none
  std::vector<Look> looks;         // the last ones, oldest first
  std::optional<Excerpt> excerpt;  // of the last look; nullopt where a program wrote the row that made none
};
Result<StoredLink> decode_link(std::string_view stored, const LinkId& id);
// The row without its history, for reports on all links.
struct StoredExcerpt {
  std::string url;
  Look look;                  // the last one …
  Excerpt excerpt;            // … and what it found
  bool has_vantages = false;  // others than that of the last look
};
// Nullopt where the row has no excerpt of its last look.
Result<std::optional<StoredExcerpt>> decode_excerpt(std::string_view stored);
// The snapshot of the last look, from the row of the history.
Result<Snapshot> latest_snapshot(const StoredLink& link, std::string_view history_row);

// The rows to write for a link that was looked at. `before`: its present row; fields in it that this version does not
// know are kept.
struct LinkRows {
  std::string link;
  std::optional<std::string> history;  // nothing where the look found what the latest row says, or was none
  std::optional<Timestamp> same_as;    // where it found the same: the time of that row
  std::optional<Timestamp> replaces;   // the time of the row that was the latest; nullopt where it stays as it is
};
LinkRows encode_link(const std::optional<std::string>& before, const LinkRecord& record);

// A row of the history that is no longer the latest, nor the first reading: without the signature of the text, the
// attempts of a look that succeeded, and the digest of a body that is not stored.
Result<std::string> replaced_row(std::string_view history_row);

// The same as a whole row, as the history would have it.
Result<std::string> latest_row(const StoredLink& link, std::string_view history_row);
// A row of the history with another verdict.
Result<std::string> with_verdict(std::string_view history_row, const Verdict& verdict);
// The row of a link that two stores have, with the looks of both. `newer`: the row with the later look, which is kept
// with its unknown fields; `record`: what both know, without the snapshot.
Result<std::string> join_links(std::string_view newer, std::string_view older, const LinkRecord& record);
bool is_version_1(std::string_view stored);

std::string encode_occurrences(const std::vector<parser::LinkOccurrence>& occurrences);
Result<std::vector<parser::LinkOccurrence>> decode_occurrences(std::string_view stored);
// Of the first of them; nullopt where there is none.
Result<std::optional<FirstOccurrence>> decode_first_occurrence(std::string_view stored);
FirstOccurrence first_occurrence(const std::vector<parser::LinkOccurrence>& occurrences);  // of at least one

// `before`: as for links.
std::string encode_run(const std::optional<std::string>& before, const Run& run);
Result<Run> decode_run(std::string_view stored);
// The row of a run whose entries are about to be erased, and whether a row is one.
std::string encode_pruned_run(const Run& run);
bool is_pruned_run(std::string_view stored);

// The row of an entry; its occurrences are in a row of their own, but for version 1.
struct StoredEntry {
  RunEntry entry;
  bool has_verdict = false;  // otherwise it is that of the link's last look
  bool has_occurrences = false;
  std::optional<Health> health = {};  // nullopt: an entry of an earlier program, and that of the link's last look
};
std::string encode_entry(const RunEntry& entry, bool with_verdict);
Result<StoredEntry> decode_entry(std::string_view stored, const LinkId& id);
// The row of an entry without a verdict, with that health.
Result<std::string> with_health(std::string_view entry_row, Health health);
// The row of an entry with what was told of its link; nullopt: it has none, or the row is of version 1.
Result<std::string> with_notification_state(std::string_view entry_row, const NotificationState& state);
Result<std::optional<NotificationState>> read_notification_state(std::string_view entry_row);

std::string encode_host(const std::optional<std::string>& before, const HostState& host);
Result<HostState> decode_host(std::string_view stored, std::string_view origin);

// For temporary files: without occurrences.
std::string encode_checked_link(const CheckedLink& link);
Result<CheckedLink> decode_checked_link(std::string_view stored, const LinkId& id);

}  // namespace linkherd::storage
