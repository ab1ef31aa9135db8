#include "storage/verdict.h"

#include <utility>

#include <fmt/format.h>

namespace linkherd::storage {

std::string http_reason(int status) { return fmt::format("http_{}", status); }

Verdict without_request(Health health, std::string_view reason, std::string_view rule, std::string evidence) {
  return {health, std::string(reason), std::string(rule), std::move(evidence), 1.0};
}

bool is_there(const Verdict& verdict) {
  return verdict.health == Health::alive || verdict.health == Health::redirected;
}

}  // namespace linkherd::storage
