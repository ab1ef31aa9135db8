// Headers that the user wants sent along, logins among them, and to whom. Only what is known to be no secret goes along
// with a redirect to another host; no value is ever logged, reported or stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/url_pattern.h"
#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct HeaderRule {
  std::string pattern;  // a UrlPattern; empty: every URL
  std::string name;
  std::string value;
};

Result<HeaderRule> parse_header(std::string_view text);      // "NAME: VALUE"
Result<HeaderRule> parse_header_for(std::string_view text);  // "PATTERN NAME: VALUE"
Result<HeaderRule> parse_basic_auth(std::string_view text);  // "PATTERN USER:PASSWORD"

// Whether a request to `hop` may carry what the user gave for `link`: the same origin, or the same host by https
// instead of http.
bool is_at_home(const parser::Url& link, const parser::Url& hop);

class ExtraHeaders {
 public:
  // The rules have been parsed before; a pattern that is none throws std::runtime_error.
  explicit ExtraHeaders(const std::vector<HeaderRule>& rules);

  // What goes with a request to `hop`. Rules with a pattern hold wherever it matches. Those without hold where
  // `at_home`, and elsewhere only for headers that can be no secret, such as Accept-Language.
  std::vector<const HeaderRule*> for_hop(const parser::Url& hop, bool at_home) const;

 private:
  struct Compiled {
    HeaderRule rule;
    std::optional<UrlPattern> pattern;
    bool harmless = false;
  };
  std::vector<Compiled> rules_;
};

// Adds `extra` to `lines` ("Name: value"); what has the same name there gives way, but cookies join.
void add_headers(std::vector<std::string>& lines, const std::vector<const HeaderRule*>& extra);

}  // namespace linkherd::crawler
