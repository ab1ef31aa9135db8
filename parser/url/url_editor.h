// Changes parts of a URL in place without parsing it again. The caller guarantees that the result is a serialised URL;
// tests check that.
#pragma once

#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

class UrlEditor {
 public:
  explicit UrlEditor(Url& url) : url_(url) {}

  // Both schemes must be special. Removes a port that is the default of the new one.
  void set_scheme(std::string_view scheme);
  void remove_credentials();
  void set_host(std::string_view host);  // must be of the same HostKind
  void set_path(std::string_view path);
  void set_query(std::string_view query);  // an empty query removes the "?" too
  void remove_fragment();

 private:
  // Replaces the bytes from `begin` to `end` and adjusts every offset from `first` on.
  void replace(std::uint32_t begin, std::uint32_t end, std::string_view text, std::uint32_t Url::*first);

  Url& url_;
};

}  // namespace linkherd::parser
