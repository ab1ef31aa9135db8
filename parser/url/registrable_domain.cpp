#include "parser/url/registrable_domain.h"

#include <stdexcept>

#include <libpsl.h>

namespace linkherd::parser {

namespace {

// Returns the list that is built into libpsl. It is constant, so threads may share it.
const psl_ctx_t* public_suffix_list() {
  const psl_ctx_t* list = psl_builtin();
  if (list == nullptr) throw std::runtime_error("libpsl was built without a public suffix list");
  return list;
}

}  // namespace

std::string registrable_domain(const Url& url) {
  if (url.host_kind() != HostKind::domain) return std::string(url.host());
  return registrable_domain(url.host());
}

std::string registrable_domain(std::string_view name) {
  std::string host(name);
  if (host.size() > 1 && host.ends_with('.')) host.pop_back();
  const char* domain = psl_registrable_domain(public_suffix_list(), host.c_str());
  return domain == nullptr ? host : domain;
}

bool is_public_suffix(std::string_view domain) {
  return psl_is_public_suffix(public_suffix_list(), std::string(domain).c_str()) != 0;
}

bool is_top_level_domain(const std::string& label) {
  if (label.empty() || label.find('.') != std::string::npos || label == "onion") return false;
  return psl_is_public_suffix2(public_suffix_list(), label.c_str(), PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE) != 0;
}

}  // namespace linkherd::parser
