// Collects the headers of a response line by line. The server may send anything, so the size is bounded. Headers of
// interim responses (1xx) are dropped. The functions below interpret headers; they are pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Returns the value of the last header with this lower-case name. Empty if there is none.
std::string_view find_header(const std::vector<storage::ResponseHeader>& headers, std::string_view name);

class ResponseHeaders {
 public:
  static constexpr std::size_t max_line = std::size_t{64} << 10;
  static constexpr std::size_t max_shown = 40;                      // characters shown of the name of an overlong line
  static constexpr std::size_t max_total = std::size_t{256} << 10;  // includes interim responses and trailers

  // Adds one line with its line break; status lines and empty lines included. Returns false once a limit is exceeded;
  // later lines are ignored.
  bool add_line(std::string_view line);

  int status() const { return status_; }
  bool complete() const { return complete_; }  // the empty line after the headers of a final response has arrived
  bool too_large() const { return too_large_; }
  const std::string& too_long() const { return too_long_; }  // the name of a line above `max_line`; empty: none
  const std::vector<storage::ResponseHeader>& all() const { return headers_; }
  std::string_view find(std::string_view name) const { return find_header(headers_, name); }
  std::vector<storage::ResponseHeader> take() { return std::move(headers_); }

 private:
  bool is_status_line(std::string_view line) const;
  void start(std::string_view status_line);
  void add_field(std::string_view line);

  std::vector<storage::ResponseHeader> headers_;
  std::size_t total_ = 0;
  int status_ = 0;
  bool complete_ = false;
  bool too_large_ = false;
  std::string too_long_;
};

// Returns true if a body of this type is kept: any text, PDF, and bodies without a type.
bool is_kept_type(std::string_view content_type);

// Returns true for 301, 302, 303, 307 and 308.
bool is_redirect_status(int status);

// Returns the time that Retry-After of a 429 or 503 names, in seconds or as an HTTP-date. The result is never before
// `now` and at most storage::max_retry_after_wait after it.
std::optional<Timestamp> retry_after(int status, const std::vector<storage::ResponseHeader>& headers, Timestamp now);

// Returns the time at which a quota resets, according to the RateLimit headers: the IETF drafts in their various forms,
// and the older X-RateLimit fields. Returns nullopt unless the host says that no request is left. The result is never
// before `now` and at most storage::max_retry_after_wait after it.
std::optional<Timestamp> rate_limit_reset(const std::vector<storage::ResponseHeader>& headers, Timestamp now);

}  // namespace linkherd::crawler
