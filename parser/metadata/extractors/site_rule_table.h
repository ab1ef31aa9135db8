// Where sites keep title, author and dates when their pages say it in no common way: one row a place, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace linkherd::parser {

enum class SiteField : std::uint8_t { title, author, published, modified, site_name };

enum class Where : std::uint8_t {
  state,     // `holder`: "#id" of a JSON script or the name of a JavaScript variable; `place`: path in the JSON
  variable,  // `place`: a JavaScript variable that holds a string
  element,   // `place`: selector, with "@attribute" where the value is not the text; `holder`: path in it when that is
             // JSON
  address,   // `place`: built from the parts of the path
  constant,  // `place` itself
};

enum class Reading : std::uint8_t { text, unix_china, unix_utc, last_first, between };

// In `place`, {1} and {2} are what the "*" of `path` stood for; "*" in a JSON path means every element of an array.
struct SiteRule {
  std::string_view site;  // names the source: "site:zhihu"
  std::string_view host;  // it or a subdomain
  std::string_view path;  // segments, "*" for any one; more may follow unless it ends in "$"
  SiteField field;
  Where where;
  std::string_view holder;
  std::string_view place;
  Reading reading = Reading::text;
  // Of Reading::between: what must stand in front (dropped), and where the value ends; empty: at the end.
  std::string_view after = {};
  std::string_view before = {};
};

// Rows of the first host and path that match apply, and of these the earlier ones are trusted more.
std::span<const SiteRule> site_rules();

}  // namespace linkherd::parser
