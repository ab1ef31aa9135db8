// Checks what messages of a broker hold. Whoever can write to the broker can send anything, and what is sent becomes
// names of files and queues, keys of the store, header fields, URLs and durations. Each function is pure; an Error says
// what is wrong and repeats nothing of the message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "crawler/fetch/http/cookies.h"
#include "crawler/fetch/http/fetch_request.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

inline constexpr std::size_t max_name_length = 200;
// No message asks for a longer wait: a worker keeps its slot for the link until then.
inline constexpr Duration max_wait = std::chrono::hours(24);

constexpr bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}
// Returns true for the name of a run, a plan or a file: letters, digits, "-", "_" and "." after a letter or a digit. So
// it names no folder, no hidden file and no option.
bool is_name(std::string_view text);

bool is_web_href(std::string_view text);    // as the URL parser writes it
bool is_web_origin(std::string_view text);  // "https://example.com"

// Moves a time to the clock of the reader. The result can be printed and computed with.
Timestamp moved(Timestamp time, Duration by);

// Refuses header fields that would start another field or frame the request otherwise.
Result<void> check_validators(const Validators& validators);
Result<void> check_cookies(const std::vector<Cookie>& cookies);
// Also the way of a link so far, which is a snapshot without a verdict of its own.
Result<void> check_snapshot(const storage::Snapshot& snapshot);
Result<void> check_verdict(const storage::Verdict& verdict);
Result<void> check_host(const storage::HostState& host);

// What a message is, for counting its parts; a snapshot is one within another.
enum class MessageKind : std::uint8_t { requests, pages, lease, progress, plan, piece, snapshot };
// Returns true if the message has too many parts to be parsed: one of two bytes takes hundreds in memory.
bool has_too_many_parts(MessageKind kind, std::string_view bytes);

}  // namespace linkherd::crawler
