// Helpers of the URL tests: parses a text to its href, or to `refused`, and checks tables of expected hrefs.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "parser/url/url.h"

namespace linkherd::parser {

inline constexpr std::string_view refused = "(refused)";

inline std::string href_of(std::string_view text) {
  const auto url = Url::parse(text);
  return std::string(url ? url->href() : refused);
}

inline std::string href_of(std::string_view text, std::string_view base_text) {
  const auto base = Url::parse(base_text);
  if (!base) return "(bad base)";
  const auto url = Url::parse(text, *base);
  return std::string(url ? url->href() : refused);
}

// `text` must be a valid URL.
inline Url url_of(std::string_view text) { return Url::parse(text).value(); }

struct HrefRow {
  std::string_view text;
  std::string_view href;
};

template <std::size_t N>
void check_hrefs(const HrefRow (&rows)[N]) {
  for (const HrefRow& row : rows) {
    CAPTURE(row.text);
    CHECK(href_of(row.text) == row.href);
    // Parsing is idempotent.
    if (row.href != refused) CHECK(href_of(row.href) == row.href);
  }
}

}  // namespace linkherd::parser
