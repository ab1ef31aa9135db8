// Recognises query parameters that do not affect the page: tracking parameters, from a built-in table, and session ids.
// The table lists a name only if the page is known to be the same without it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace linkherd::parser {

struct SiteParameters;  // a prepared row of the table

// The rows of the table that apply to one host.
class TrackingParameters {
 public:
  explicit TrackingParameters(std::string_view host);  // in the form of Url::host()

  bool contains(std::string_view name) const;  // `name` must be percent-decoded

 private:
  static constexpr std::size_t max_rows = 8;
  std::array<const SiteParameters*, max_rows> rows_{};
  std::size_t count_ = 0;
};

// Returns true if a parameter with this name (in lower case) holds a session id. Servers and frameworks add such ids to
// URLs automatically, and every visit gets a different one.
bool is_session_parameter(std::string_view name);

}  // namespace linkherd::parser
