// Headers that the user wants sent along, logins among them, and to whom. Only what is known to be no secret goes along
// with a redirect to another host; no value is ever logged, reported or stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/result.h"
#include "parser/url/url.h"

namespace re2 {
class RE2;
}

namespace linkherd::crawler {

// For which URLs a setting holds: a regular expression for the beginning of a URL, with or without its scheme. It
// matches whole hosts with their ports only, so that what is meant for example.com never goes to
// example.com.evil.net, to example.com:8443, nor to a page that has example.com in its path.
class UrlPattern {
 public:
  static Result<UrlPattern> parse(std::string_view text);
  ~UrlPattern();
  UrlPattern(UrlPattern&&) noexcept;
  UrlPattern& operator=(UrlPattern&&) noexcept;

  // Its query and fragment are ignored. A pattern without a scheme means https; http only `is_to_own_origin`, where the
  // link itself is http, so that no redirect takes what is meant for https to a connection that everybody can read.
  bool matches(const parser::Url& url, bool is_to_own_origin) const;

 private:
  explicit UrlPattern(std::unique_ptr<re2::RE2> expression);
  bool starts(std::string_view text, std::size_t host_start, std::size_t port_end) const;

  std::unique_ptr<re2::RE2> expression_;
};

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
bool is_own_origin(const parser::Url& link, const parser::Url& hop);

class ExtraHeaders {
 public:
  // The rules have been parsed before; a pattern that is none throws std::runtime_error.
  explicit ExtraHeaders(const std::vector<HeaderRule>& rules);

  // What goes with a request to `hop`. Rules with a pattern hold wherever it matches. Those without hold where
  // `is_to_own_origin`, and elsewhere only for headers that can be no secret, such as Accept-Language.
  std::vector<const HeaderRule*> for_hop(const parser::Url& hop, bool is_to_own_origin) const;

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
