#include "crawler/sources/reported_name.h"

#include <system_error>

#include "parser/utf8.h"

namespace linkherd::crawler {

std::string reported_name(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path absolute = (here / path).lexically_normal();
  const std::filesystem::path relative = absolute.lexically_relative(here);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return to_valid_utf8((below ? relative : path.lexically_normal()).string());
}

}  // namespace linkherd::crawler
