#include "storage/value_format.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace linkherd::storage {
namespace {

constexpr std::size_t max_depth = 32;                            // the deepest value of linkherd has 6 levels
constexpr std::size_t max_value_bytes = std::size_t{256} << 20;  // enough for a link with a million occurrences

}  // namespace

Result<std::string_view> after_version(std::string_view stored) {
  if (stored.empty()) return damaged_value("empty value");
  const auto version = static_cast<unsigned char>(stored.front());
  if (version == 0) return damaged_value("no version");
  if (version > value_version) {
    return Error{
        fmt::format("value version {} is not supported: this linkherd supports version {}; use the newer linkherd that "
                    "wrote it, or choose another store with --store",
                    version, static_cast<int>(value_version))};
  }
  return stored.substr(1);
}

Error damaged_value(std::string_view how) {
  return {fmt::format("the value is damaged ({}); move the store elsewhere and run again to create a new one", how)};
}

std::string encode_value(const boost::json::object& json) {
  std::string text(1, json_version);
  text += boost::json::serialize(json);
  return text;
}

Result<boost::json::value> decode_value(std::string_view stored) {
  const Result<std::string_view> text = after_version(stored);
  if (text.has_error()) return text.error();
  if (!stored.starts_with(json_version)) return damaged_value("no JSON");
  if (text->size() > max_value_bytes) return damaged_value("too large");
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::system::error_code problem;
  boost::json::value json = boost::json::parse(*text, problem, {}, options);
  if (problem) return damaged_value(problem.message());
  return json;
}

}  // namespace linkherd::storage
