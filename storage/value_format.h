// The format of stored values: one version byte and a payload. The payload of version 2 is a message of
// stored_values.proto; that of version 1 is JSON text (record_json.h). In the family `body`, the payload is the page's
// body. DO NOT CHANGE the meaning of a version; a new format needs a new number. Reading never throws on untrusted
// bytes. Example: an empty Link of version 2 is the single byte 02.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "parser/result.h"

namespace linkherd::storage {

inline constexpr char json_version = 1;
inline constexpr char value_version = 2;

// Returns the payload, as a view into `stored`. Returns an Error if the version is unknown.
Result<std::string_view> after_version(std::string_view stored);

// Encodes a value of version 1.
std::string encode_value(const boost::json::object& json);
Result<boost::json::value> decode_value(std::string_view stored);

// Returns an error that says what is wrong with a value and what to do.
Error damaged_value(std::string_view how);

// Decodes a value of version 1.
template <class T>
Result<T> decode_noun(std::string_view stored, Result<T> (*read)(const boost::json::value&)) {
  const Result<boost::json::value> json = decode_value(stored);
  if (json.has_error()) return json.error();
  Result<T> noun = read(*json);
  if (noun.has_error()) return damaged_value(noun.error().message);
  return noun;
}

}  // namespace linkherd::storage
