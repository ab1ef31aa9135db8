#include "storage/verdict.h"

#include <fmt/format.h>

namespace linkherd::storage {

std::string http_reason(int status) { return fmt::format("http_{}", status); }

}  // namespace linkherd::storage
