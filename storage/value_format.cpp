#include "storage/value_format.h"

#include <fmt/format.h>

namespace linkherd::storage {

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

}  // namespace linkherd::storage
