// A table of linkherd.toml as text.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

namespace linkherd::crawler {

// Returns "[[section]]" and its settings, each on a line of its own: strings stand in double quotes, with escapes. The
// default of toml++, ''' around a string with a line break, ends where the string itself has '''.
inline std::string toml_text(std::string_view section, toml::table table) {
  const toml::table whole{{section, toml::array{std::move(table)}}};
  constexpr auto flags = toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings &
                         ~toml::format_flags::allow_multi_line_strings &
                         ~toml::format_flags::allow_real_tabs_in_strings;
  std::ostringstream text;
  text << toml::toml_formatter(whole, flags);
  return std::move(text).str();
}

}  // namespace linkherd::crawler
