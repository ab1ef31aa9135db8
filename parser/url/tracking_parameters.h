// Which parameters of a query only say where a visitor came from. Own table: a name is listed only where leaving it out
// is known to lead to the same page.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace linkherd::parser {

struct SiteParameters;  // a row of the table, made ready for looking up

// The rows that hold for one host; made once a URL.
class TrackingParameters {
 public:
  explicit TrackingParameters(std::string_view host);  // as Url::host() gives it

  bool contains(std::string_view name) const;  // percent-decoded

 private:
  static constexpr std::size_t most_rows = 8;
  std::array<const SiteParameters*, most_rows> rows_{};
  std::size_t count_ = 0;
};

}  // namespace linkherd::parser
