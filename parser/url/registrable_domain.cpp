#include "parser/url/registrable_domain.h"

#include <stdexcept>

#include <libpsl.h>

namespace linkherd::parser {

std::string registrable_domain(const Url& url) {
  std::string host(url.host());
  if (url.host_kind() != HostKind::domain) return host;
  if (host.size() > 1 && host.ends_with('.')) host.pop_back();
  const psl_ctx_t* list = psl_builtin();  // compiled in, never written to: safe to share
  if (list == nullptr) throw std::runtime_error("libpsl was built without a public suffix list");
  const char* domain = psl_registrable_domain(list, host.c_str());
  return domain == nullptr ? host : domain;
}

}  // namespace linkherd::parser
