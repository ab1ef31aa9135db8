// Changes the parts of a URL in place. The caller guarantees that the result parses back to itself, so it is not parsed
// again; tests check that.
#pragma once

#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

class UrlEditor {
 public:
  explicit UrlEditor(Url& url) : url_(url) {}

  void set_scheme(std::string_view scheme);  // special, as the old one; a port that is its default goes
  void remove_credentials();                 // user name, password, and the "@"
  void set_host(std::string_view host);      // of the same kind
  void set_path(std::string_view path);
  void set_query(std::string_view query);  // empty: without the "?", too
  void remove_fragment();

 private:
  // Replaces the bytes from `begin` to `end` and moves every offset from `first` on.
  void replace(std::uint32_t begin, std::uint32_t end, std::string_view text, std::uint32_t Url::*first);

  Url& url_;
};

}  // namespace linkherd::parser
