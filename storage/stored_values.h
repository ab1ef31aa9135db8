// Encodes and decodes the values of the store: a version byte and a message of stored_values.proto. Decoding returns an
// Error for malformed and newer values, and never throws on foreign bytes. docs/store-format.md describes the format.
//
// A check that finds the same as the check before writes no history row; the row of the link then records that check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/result.h"
#include "storage/host_state.h"
#include "storage/link_result.h"
#include "storage/link_state.h"
#include "storage/run.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

std::string encode_snapshot(const Snapshot& snapshot);
Result<Snapshot> decode_snapshot(std::string_view stored);

// Encodes a verdict alone, for messages and temporary files. The encoding of nullopt is empty.
std::string encode_verdict(const std::optional<Verdict>& verdict);
Result<std::optional<Verdict>> decode_verdict(std::string_view encoded);

// Returns bytes to append to an encoded snapshot, which say whether its body was stored.
std::string encode_body_mark(bool has_body);

// The body that a history row refers to.
struct BodyReference {
  std::string digest;
  bool page_existed = false;
  bool is_stored = false;  // the body was stored, and was not removed since
};
Result<BodyReference> body_reference(std::string_view stored);

// The row of a link.
struct StoredLink {
  LinkState state;                       // without the snapshot
  std::optional<Timestamp> snapshot_at;  // time of the history row with the snapshot; nullopt: never fetched
  std::string last_check;  // the last check's own part of the snapshot, if it wrote no history row; otherwise empty
  std::vector<CheckOutcome> checks;  // the last checks, oldest first
  parser::TextSignature main_text;   // that of the last check, which its history row may lack
};
Result<StoredLink> decode_link(std::string_view stored, const LinkId& id);
// Returns the snapshot of the last check. `history_row` is the history row with the time StoredLink::snapshot_at.
Result<Snapshot> latest_snapshot(const StoredLink& link, std::string_view history_row);

// The rows to write after a check of a link. `before` is the present row of the link.
struct LinkRows {
  std::string link;
  // A new history row; nullopt if the check found the same as the latest row, or the link was not fetched.
  std::optional<std::string> history;
  std::optional<Timestamp> same_as;  // the time of the latest row, if the check found the same
  // The time of the latest row so far, if replaced_row() must now shorten it; nullopt if that row stays as it is.
  std::optional<Timestamp> replaces;
};
LinkRows encode_link(const std::optional<std::string>& before, const LinkState& state);

// Shortens a history row that is no longer the latest and is not the first version. Removes the text signature, the
// attempts of a successful check, and the digest of a body that is not stored.
Result<std::string> replaced_row(std::string_view history_row);

// Returns the last check as a complete history row, as if it had written one. Like latest_snapshot(), but encoded.
Result<std::string> latest_row(const StoredLink& link, std::string_view history_row);
// Returns a history row with another verdict.
Result<std::string> with_verdict(std::string_view history_row, const Verdict& verdict);
// Joins the rows of a link from two stores, and the checks of both. `newer` is the row with the later check. `state`
// is the joined state without its snapshot.
Result<std::string> join_links(std::string_view newer, std::string_view older, const LinkState& state);

std::string encode_occurrences(const std::vector<parser::LinkOccurrence>& occurrences);
Result<std::vector<parser::LinkOccurrence>> decode_occurrences(std::string_view stored);

std::string encode_run(const Run& run);
Result<Run> decode_run(std::string_view stored);
// encode_pruned_run() returns the row of a run whose entries are about to be erased. is_pruned_run() recognises such a
// row.
std::string encode_pruned_run(const Run& run);
bool is_pruned_run(std::string_view stored);

// The row of a link result. Its occurrences are in a separate row.
std::string encode_result(const LinkResult& result);
Result<LinkResult> decode_result(std::string_view stored, const LinkId& id);
Result<Health> decode_health(std::string_view result_row);  // only the health of the verdict
// Returns a result row with another verdict.
Result<std::string> with_result_verdict(std::string_view result_row, const Verdict& verdict);
// with_notification_state() adds a notification state to a result row. read_notification_state() returns nullopt if the
// row has none.
Result<std::string> with_notification_state(std::string_view result_row, const NotificationState& state);
Result<std::optional<NotificationState>> read_notification_state(std::string_view result_row);

std::string encode_host(const HostState& host);
Result<HostState> decode_host(std::string_view stored, std::string_view origin);

// For temporary files: encodes a link without its occurrences.
std::string encode_checked_link(const CheckedLink& link);
Result<CheckedLink> decode_checked_link(std::string_view stored, const LinkId& id);

}  // namespace linkherd::storage
