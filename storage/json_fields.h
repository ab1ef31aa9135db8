// Reads the fields of one JSON object. It is strict about types and lenient about missing and unknown keys; `null`
// counts as missing. It keeps the first error, so callers need no error check for each field.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "parser/enum_names.h"
#include "parser/result.h"
#include "parser/timestamp.h"

namespace linkherd::storage {

class JsonFields {
 public:
  // `name` is the prefix of every message: "run: 'number' is not a whole number in range".
  JsonFields(const boost::json::value& json, std::string_view name);

  // A missing text or list is empty, a missing number is 0 and a missing flag is false. A missing or empty required
  // text is an error.
  std::string text(std::string_view key);
  std::string required_text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  bool flag(std::string_view key);
  double real(std::string_view key);
  std::optional<Timestamp> time(std::string_view key);
  Timestamp required_time(std::string_view key);

  // Reads an integer from 0 to the maximum of T.
  template <std::integral T>
  T whole(std::string_view key) {
    return static_cast<T>(whole_up_to(key, static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
  }

  template <class E, std::size_t N>
  E required_word(std::string_view key, const std::array<EnumName<E>, N>& names) {
    const std::optional<E> value = enum_value(names, required_text(key));
    if (!value) fail(key, "is not a value that this version supports");
    return value.value_or(E{});
  }

  // Reads a nested object with the function `read`. Returns nullopt if the key is missing.
  template <class T>
  std::optional<T> nested(std::string_view key, Result<T> (*read)(const boost::json::value&)) {
    const boost::json::value* json = find(key);
    if (json == nullptr) return std::nullopt;
    Result<T> value = read(*json);
    if (value.has_value()) return std::move(*value);
    fail_inside(value.error());
    return std::nullopt;
  }

  const boost::json::value* find(std::string_view key) const;  // nullptr if missing
  void fail(std::string_view key, std::string_view problem);

  // Returns `value`, or the first error if there was one.
  template <class T>
  Result<T> finish(T value) {
    if (error_) return std::move(*error_);
    return value;
  }

 private:
  const boost::json::array& items(std::string_view key);  // empty if missing
  std::uint64_t whole_up_to(std::string_view key, std::uint64_t max);
  void fail_inside(const Error& error);

  const boost::json::object* object_;
  std::string_view name_;
  std::optional<Error> error_;
};

}  // namespace linkherd::storage
