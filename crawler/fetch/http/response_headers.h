// The headers of a response as they come in, line by line, from a server that may send anything: bounded, without
// those of interim answers (1xx). What they mean for the transfer are pure functions beside it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::crawler {

// A header of a response, and how one is looked up among many.
struct Header {
  std::string name;   // lower case
  std::string value;  // as sent, trimmed; bytes, not text

  bool operator==(const Header&) const = default;
};

// The value of the last header of that (lower-case) name; empty where there is none.
std::string_view find_header(const std::vector<Header>& headers, std::string_view name);

class ResponseHeaders {
 public:
  static constexpr std::size_t max_line = std::size_t{64} << 10;
  static constexpr std::size_t max_shown = 40;                      // of the name of a line that is too long
  static constexpr std::size_t max_total = std::size_t{256} << 10;  // interim answers and trailers count too

  // One line with its line break, a status line or an empty one included. False: too much, and nothing more is taken.
  bool add_line(std::string_view line);

  int status() const { return status_; }
  bool complete() const { return complete_; }  // the empty line after a final answer's headers has come
  bool too_large() const { return too_large_; }
  const std::string& too_long() const { return too_long_; }  // the name of a line above `max_line`; empty: none
  const std::vector<Header>& all() const { return headers_; }
  std::string_view find(std::string_view name) const { return find_header(headers_, name); }
  std::vector<Header> take() { return std::move(headers_); }

 private:
  bool is_status_line(std::string_view line) const;
  void start(std::string_view status_line);
  void add_field(std::string_view line);

  std::vector<Header> headers_;
  std::size_t total_ = 0;
  int status_ = 0;
  bool complete_ = false;
  bool too_large_ = false;
  std::string too_long_;
};

// Whether a body of this kind is kept: text of every sort, PDF, and what does not say what it is.
bool is_kept_type(std::string_view content_type);

// 301, 302, 303, 307, 308.
bool is_redirect_status(int status);

// When the server wants to be asked again: Retry-After of a 429 or 503, seconds or an HTTP-date; never before `now`,
// never more than storage::max_retry_after_wait ahead.
std::optional<Timestamp> retry_after(int status, const std::vector<Header>& headers, Timestamp now);

// When a host wants to be asked again, by its RateLimit headers: the fields of the IETF drafts in their several forms,
// and the X-RateLimit ones that came before them. A pure rule.

// Nothing unless the host says that no request is left. Never before `now`, never more than
// storage::max_retry_after_wait ahead.
std::optional<Timestamp> rate_limit_reset(const std::vector<Header>& headers, Timestamp now);

}  // namespace linkherd::crawler
