// Site-specific rules for the title, authors and dates of pages without standard metadata. Each row has one value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace linkherd::parser {

enum class SiteField : std::uint8_t { title, author, published, modified, site_name };

enum class ValueSource : std::uint8_t {
  state,     // `container` is "#id" of a JSON script, "ld+json" or a JavaScript variable; `location` is the path in the
             // JSON
  variable,  // `location` is a JavaScript variable that holds a string
  // `location` is a selector, with "@attribute" if the value is an attribute; `container` is a path if the value is
  // JSON
  element,
  address,   // `location` is a template with the captured path segments
  constant,  // `location` is the value itself
};

// How a value is converted. in_china: a UTC date that is shown at +08:00, as on the site.
enum class Conversion : std::uint8_t { text, unix_china, unix_utc, in_china, last_first, between };

// One value of one site. In `location`, {1} and {2} are the segments that "*" matches in `path`. "*" in a JSON path
// means every element of an array.
struct SiteRule {
  std::string_view site;  // name of the site; the source of its candidates is "site:zhihu"
  std::string_view host;  // this host and its subdomains
  std::string_view path;  // segments, with "*" for any segment; more may follow unless it ends in "$"
  SiteField field;
  ValueSource where;
  std::string_view container;
  std::string_view location;
  Conversion conversion = Conversion::text;
  // For Reading::between: the text before the value and the text after it. If `suffix` is empty, the value extends to
  // the end.
  std::string_view prefix = {};
  std::string_view suffix = {};
};

// Returns all rules. Only the rows of the first matching host and path apply. Earlier rows have more trust.
std::span<const SiteRule> site_rules();

}  // namespace linkherd::parser
