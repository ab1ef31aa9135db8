// Site-specific rules for title, authors and dates of pages without standard metadata. One row per value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace linkherd::parser {

enum class SiteField : std::uint8_t { title, author, published, modified, site_name };

enum class Where : std::uint8_t {
  state,     // `holder`: "#id" of a JSON script, "ld+json", or a JavaScript variable; `location`: path in the JSON
  variable,  // `location`: a JavaScript variable that holds a string
  element,  // `location`: selector, with "@attribute" if the value is not the text; `holder`: JSON path if that is JSON
  address,  // `location`: a template with the captured path segments
  constant,  // `location` is the value
};

// in_china: a date in UTC, shown as the site shows it, at +08:00.
enum class Reading : std::uint8_t { text, unix_china, unix_utc, in_china, last_first, between };

// In `location`, {1} and {2} are the segments matched by "*" in `path`; "*" in a JSON path means every element of an
// array.
struct SiteRule {
  std::string_view site;  // name of the source: "site:zhihu"
  std::string_view host;  // this host and its subdomains
  std::string_view path;  // segments, "*" for any one; more may follow unless it ends in "$"
  SiteField field;
  Where where;
  std::string_view holder;
  std::string_view location;
  Reading reading = Reading::text;
  // For Reading::between: the text before the value, and the text after it (empty: to the end).
  std::string_view after = {};
  std::string_view before = {};
};

// Only the rows of the first matching host and path apply; earlier rows are trusted more.
std::span<const SiteRule> site_rules();

}  // namespace linkherd::parser
