// The format of a value in the store: one version byte, then in version 2 a message of stored_values.proto, in version
// 1 JSON text (record_json.h), or in `body` the payload. DO NOT CHANGE the meaning of a version; a new format gets a
// new number. Reading never throws on foreign bytes.
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

// The payload behind the version byte; points into `stored`. An Error for a version that this program does not know.
Result<std::string_view> after_version(std::string_view stored);

// Of version 1.
std::string encode_value(const boost::json::object& json);
Result<boost::json::value> decode_value(std::string_view stored);

// What is wrong with a value, and what to do about it.
Error damaged_value(std::string_view how);

// Of version 1.
template <class T>
Result<T> decode_noun(std::string_view stored, Result<T> (*read)(const boost::json::value&)) {
  const Result<boost::json::value> json = decode_value(stored);
  if (json.has_error()) return json.error();
  Result<T> noun = read(*json);
  if (noun.has_error()) return damaged_value(noun.error().message);
  return noun;
}

}  // namespace linkherd::storage
