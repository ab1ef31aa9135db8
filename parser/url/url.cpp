#include "parser/url/url.h"

#include <fmt/format.h>

#include "parser/url/url_parser.h"

namespace linkherd::parser {

std::uint16_t Url::effective_port() const { return port_.value_or(default_port(scheme())); }

std::string Url::origin() const {
  if (scheme() == "blob") {
    // The origin of a blob URL is the origin of the URL in its path if that is an http or https URL.
    const auto inner = parse(path());
    return inner && inner->is_http() ? inner->origin() : "null";
  }
  if (!is_special() || scheme() == "file") return "null";
  std::string origin;
  origin.reserve(scheme().size() + host().size() + 9);
  origin.append(scheme()).append("://").append(host());
  if (port_) origin.append(":").append(fmt::format_int(*port_).c_str());
  return origin;
}

bool Url::is_special() const { return is_special_scheme(scheme()); }

bool Url::is_http() const { return scheme() == "http" || scheme() == "https"; }

}  // namespace linkherd::parser
