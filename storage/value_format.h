// The format of a value in the store: one version byte, then JSON text (record_json.h), or in `body` the payload. DO
// NOT CHANGE the meaning of a version; a new format gets a new number. Reading never throws on foreign bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "parser/result.h"
#include "storage/json_writer.h"

namespace linkherd::storage {

inline constexpr char value_version = 1;

std::string encode_value(const boost::json::object& json);
template <class T>
std::string encode_noun(const T& noun) {
  std::string text(1, value_version);
  JsonWriter json(text);
  write_json(json, noun);
  return text;
}
Result<boost::json::value> decode_value(std::string_view stored);

// What is wrong with a value, and what to do about it.
Error damaged_value(std::string_view how);

// The payload behind the version byte of a stored body; points into `stored`.
Result<std::string_view> decode_body(std::string_view stored);

template <class T>
Result<T> decode_noun(std::string_view stored, Result<T> (*read)(const boost::json::value&)) {
  const Result<boost::json::value> json = decode_value(stored);
  if (json.has_error()) return json.error();
  Result<T> noun = read(*json);
  if (noun.has_error()) return damaged_value(noun.error().message);
  return noun;
}

}  // namespace linkherd::storage
