#include "storage/json_fields.h"

#include <fmt/format.h>

namespace linkherd::storage {

JsonFields::JsonFields(const boost::json::value& json, std::string_view name) : object_(json.if_object()), name_(name) {
  if (object_ == nullptr) error_ = Error{fmt::format("{}: not a JSON object", name_)};
}

const boost::json::value* JsonFields::find(std::string_view key) const {
  if (object_ == nullptr) return nullptr;
  const boost::json::value* value = object_->if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void JsonFields::fail(std::string_view key, std::string_view problem) {
  if (!error_) error_ = Error{fmt::format("{}: '{}' {}", name_, key, problem)};
}

void JsonFields::fail_inside(const Error& error) {
  if (!error_) error_ = Error{fmt::format("{}: {}", name_, error.message)};
}

std::string JsonFields::text(std::string_view key) {
  const boost::json::value* value = find(key);
  if (value == nullptr) return {};
  if (const boost::json::string* text = value->if_string()) return {text->data(), text->size()};
  fail(key, "is not a string");
  return {};
}

std::string JsonFields::required_text(std::string_view key) {
  std::string value = text(key);
  if (value.empty()) fail(key, "is missing");
  return value;
}

const boost::json::array& JsonFields::items(std::string_view key) {
  static const boost::json::array none;
  const boost::json::value* value = find(key);
  if (value == nullptr) return none;
  if (const boost::json::array* array = value->if_array()) return *array;
  fail(key, "is not a list");
  return none;
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  std::vector<std::string> values;
  for (const boost::json::value& item : items(key)) {
    const boost::json::string* text = item.if_string();
    if (text == nullptr) {
      fail(key, "holds something that is not a string");
      break;
    }
    values.emplace_back(text->data(), text->size());
  }
  return values;
}

bool JsonFields::flag(std::string_view key) {
  const boost::json::value* value = find(key);
  if (value == nullptr) return false;
  if (const bool* flag = value->if_bool()) return *flag;
  fail(key, "is neither true nor false");
  return false;
}

double JsonFields::real(std::string_view key) {
  const boost::json::value* value = find(key);
  if (value == nullptr) return 0.0;
  if (value->is_number()) return value->to_number<double>();
  fail(key, "is not a number");
  return 0.0;
}

std::uint64_t JsonFields::whole_up_to(std::string_view key, std::uint64_t max) {
  const boost::json::value* value = find(key);
  if (value == nullptr) return 0;
  std::optional<std::uint64_t> number;
  if (const std::int64_t* small = value->if_int64(); small != nullptr && *small >= 0) {
    number = static_cast<std::uint64_t>(*small);
  }
  if (const std::uint64_t* large = value->if_uint64()) number = *large;
  if (number && *number <= max) return *number;
  fail(key, "is not a whole number in range");
  return 0;
}

std::optional<Timestamp> JsonFields::time(std::string_view key) {
  const std::string written = text(key);
  if (written.empty()) return std::nullopt;
  const Result<Timestamp> time = parse_timestamp(written);
  if (time.has_value()) return *time;
  fail(key, "is not an RFC 3339 time");
  return std::nullopt;
}

Timestamp JsonFields::required_time(std::string_view key) {
  const std::optional<Timestamp> value = time(key);
  if (!value) fail(key, "is missing");
  return value.value_or(Timestamp{});
}

}  // namespace linkherd::storage
