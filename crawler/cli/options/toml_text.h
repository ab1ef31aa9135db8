// Reads TOML files, and converts tables of linkherd.toml to text.
#pragma once

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

namespace linkherd::crawler {

// Throws ConfigurationErrors for a file that cannot be read or is not TOML. `inside`: see read_file_bytes().
toml::table read_toml(const std::string& name, const std::filesystem::path& inside = {});

// Converts a value to the text used on the command line. Returns nullopt if it has no such text.
std::optional<std::string> plain_text_of(const toml::node& value);

// Strings are in double quotes, on one line.
inline constexpr auto toml_flags = toml::toml_formatter::default_flags & ~toml::format_flags::allow_literal_strings &
                                   ~toml::format_flags::allow_multi_line_strings &
                                   ~toml::format_flags::allow_real_tabs_in_strings;

// Returns "[[section]]" and its settings, one per line. Strings are in double quotes with escapes. The default of
// toml++, ''' around a string with a line break, would end at a ''' within the string.
inline std::string toml_text(std::string_view section, toml::table table) {
  const toml::table whole{{section, toml::array{std::move(table)}}};
  std::ostringstream text;
  text << toml::toml_formatter(whole, toml_flags);
  return std::move(text).str();
}

}  // namespace linkherd::crawler
