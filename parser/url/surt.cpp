#include "parser/url/surt.h"

namespace linkherd::parser {

std::string surt_key(const Url& url) {
  if (url.host().empty()) return std::string(url.href_without_fragment());
  std::string key;
  key.reserve(url.href().size());
  std::string_view host = url.host();
  if (url.host_kind() != HostKind::domain) {
    key = host;
  } else {
    if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
    while (true) {
      const std::size_t dot = host.rfind('.');
      key += host.substr(dot == std::string_view::npos ? 0 : dot + 1);
      if (dot == std::string_view::npos) break;
      key += ',';
      host = host.substr(0, dot);
    }
  }
  if (url.port()) key.append(1, ':').append(std::to_string(*url.port()));
  key.append(1, ')').append(url.path());
  if (url.has_query()) key.append(1, '?').append(url.query());
  return key;
}

}  // namespace linkherd::parser
