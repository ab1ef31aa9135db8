// Changes parts of a URL in place without parsing it again. The caller must guarantee that the result is a serialised
// URL, that is, one that parses to itself. Tests check this for the canonical forms.
#pragma once

#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

class UrlEditor {
 public:
  explicit UrlEditor(Url& url) : url_(url) {}

  // The old and the new scheme must be special. Removes a port that is the default of the new scheme.
  void set_scheme(std::string_view scheme);
  void remove_credentials();
  void set_host(std::string_view host);  // must be of the same HostKind
  void set_path(std::string_view path);
  void set_query(std::string_view query);  // the URL must have a query; an empty one also removes the "?"
  void remove_fragment();                  // the URL must have a fragment

 private:
  // Replaces the bytes from `begin` to `end` and adjusts the offset `first` and all later offsets.
  void replace(std::uint32_t begin, std::uint32_t end, std::string_view text, std::uint32_t Url::*first);

  Url& url_;
};

}  // namespace linkherd::parser
