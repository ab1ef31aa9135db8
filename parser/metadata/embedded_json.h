// JSON that stands in a page: read with limits on depth and size, tolerant of common mistakes, and looked up by
// path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace linkherd::parser {

// The first JSON value of `text`; what follows it is ignored (a state script goes on with ";(function…"). Raw control
// characters in strings, comments and trailing commas are forgiven. False where there is no value.
bool parse_embedded_json(std::string_view text, boost::json::value& value,
                         std::size_t max_bytes = std::size_t{2} << 20);

// "initialState.entities.articles.42.title": object keys and array indices. Null where the path leads nowhere.
const boost::json::value* at_path(const boost::json::value& value, std::string_view path);

// A string as it is, a number as its digits; empty for everything else.
std::string text_of(const boost::json::value* value);

// What is assigned to a variable in a script, from the value's first character on: of "window.__STATE__ = {…" or "var
// ct =
// \"16…\"". Empty where the script assigns nothing to it.
std::string_view assigned_value(std::string_view script, std::string_view variable);

// The text of a JavaScript string literal that `text` begins with ("…" or '…'), escapes decoded; empty where it begins
// with none.
std::string string_literal(std::string_view text);

}  // namespace linkherd::parser
