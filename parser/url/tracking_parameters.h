// Parameters of queries that say nothing about the page: the built-in table of tracking parameters (a name is listed
// only if the page is known to be the same without it), and the ids of sessions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace linkherd::parser {

struct SiteParameters;  // a prepared row of the table

// The rows of the table that apply to one host.
class TrackingParameters {
 public:
  explicit TrackingParameters(std::string_view host);  // see Url::host()

  bool contains(std::string_view name) const;  // percent-decoded

 private:
  static constexpr std::size_t max_rows = 8;
  std::array<const SiteParameters*, max_rows> rows_{};
  std::size_t count_ = 0;
};

// Whether a parameter of this name, in lower case, is the id of a session that servers and frameworks add to addresses
// by themselves: each visit gets another one.
bool is_session_parameter(std::string_view name);

}  // namespace linkherd::parser
