// Parses JSON that is embedded in a page, and queries it by path. Depth and size are limited. Common mistakes are
// tolerated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace linkherd::parser {

// Parses the first JSON value of `text` and ignores the rest: state scripts continue with ";(function…". Accepts raw
// control characters in strings, comments and trailing commas. Returns false if there is no value.
bool parse_embedded_json(std::string_view text, boost::json::value& value,
                         std::size_t max_bytes = std::size_t{2} << 20);

// Returns the value at a path of object keys and array indices, such as "initialState.entities.articles.42.title". Null
// if the path does not exist.
const boost::json::value* at_path(const boost::json::value& value, std::string_view path);

// Returns a string unchanged and a number as digits. Empty for all other values.
std::string text_of(const boost::json::value* value);

// Returns the script from the start of the value assigned to a variable, as in "window.__STATE__ = {…" and
// "var ct = \"16…\"". Empty if there is no assignment.
std::string_view find_assigned_value(std::string_view script, std::string_view variable);

// Decodes the JavaScript string literal ("…" or '…') at the start of `text`. Empty if there is none.
std::string parse_string_literal(std::string_view text);

}  // namespace linkherd::parser
