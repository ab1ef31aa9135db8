#include "crawler/fetch/net/connection_options.h"

#include <charconv>

#include <fmt/format.h>

#include "parser/url/url.h"

namespace linkherd::crawler {

namespace {

// Undoes percent escapes, which is how a password may hold "@" or ":".
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool escaped = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr == text.data() + i + 3;
    plain += escaped ? static_cast<char>(code) : text[i];
    if (escaped) i += 2;
  }
  return plain;
}

}  // namespace

std::string Proxy::address() const { return fmt::format("{}://{}:{}", scheme, host, port); }

// No error quotes the text: it may hold a password.
Result<Proxy> parse_proxy(std::string_view text) {
  const Error malformed{"a proxy is http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT"};
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos) return malformed;
  Proxy proxy;
  proxy.scheme = text.substr(0, mark);
  if (proxy.scheme != "http" && proxy.scheme != "socks5" && proxy.scheme != "socks5h") return malformed;
  // Read as a URL, whose hosts and ports have rules; as two, since each leaves out its own scheme's port.
  const Result<parser::Url> url = parser::Url::parse("http" + std::string(text.substr(mark)));
  const Result<parser::Url> other = parser::Url::parse("https" + std::string(text.substr(mark)));
  if (!url || !other || url->path() != "/" || url->has_query() || url->has_fragment()) return malformed;
  proxy.host = url->host();
  const std::uint16_t usual_port = proxy.scheme == "http" ? 3128 : 1080;
  proxy.port = url->port().value_or(other->port().value_or(usual_port));
  proxy.user = unescape(url->username());
  proxy.password = unescape(url->password());
  return proxy;
}

}  // namespace linkherd::crawler
