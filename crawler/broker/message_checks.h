// Validates the contents of broker messages. Anybody who can write to the broker can send anything. The contents become
// names of files and queues, keys of the store, header fields, URLs and durations. All functions are pure. An Error
// says what is wrong and repeats nothing of the message.
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
// No message may request a longer wait, because a worker keeps a slot for the link until then.
inline constexpr Duration max_wait = std::chrono::hours(24);

constexpr bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}
// Returns true if `text` is valid as the name of a run, a plan or a file. A name has letters, digits, "-", "_" and ".",
// and begins with a letter or a digit. It cannot be a folder, a hidden file or an option.
bool is_name(std::string_view text);

bool is_web_href(std::string_view text);    // exactly as the URL parser serializes it
bool is_web_origin(std::string_view text);  // for example "https://example.com"

// Adjusts a time to the clock of the reader. The result is in the range that can be printed and used in calculations.
Timestamp moved(Timestamp time, Duration by);

// Rejects header fields that would start another field or change the framing of the request.
Result<void> check_validators(const Validators& validators);
Result<void> check_cookies(const std::vector<Cookie>& cookies);
// Also accepts the redirects of a link so far, which are a snapshot without a verdict of its own.
Result<void> check_snapshot(const storage::Snapshot& snapshot);
Result<void> check_verdict(const storage::Verdict& verdict);
Result<void> check_host(const storage::HostState& host);

// The type of a message, for counting its parts. A snapshot is part of another message.
enum class MessageKind : std::uint8_t { requests, pages, lease, progress, plan, piece, snapshot };
// Returns true if the message has too many parts to be parsed. A part of two bytes takes hundreds of bytes in memory.
bool has_too_many_parts(MessageKind kind, std::string_view bytes);

}  // namespace linkherd::crawler
