// Manages the request headers that the user adds, including credentials, and decides which requests carry them. Only
// headers that are known to be harmless follow a redirect to another host. No value is ever logged, reported or stored.
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

// Selects the URLs that a setting applies to: a regular expression that matches the beginning of a URL, with or without
// its scheme. It must match a whole host and port. So a pattern for example.com matches neither example.com.evil.net
// nor example.com:8443, nor a page with example.com in its path.
class UrlPattern {
 public:
  static Result<UrlPattern> parse(std::string_view text);
  ~UrlPattern();
  UrlPattern(UrlPattern&&) noexcept;
  UrlPattern& operator=(UrlPattern&&) noexcept;

  // The query and fragment of `url` are ignored. A pattern without a scheme means https. It matches http only if
  // `is_to_own_origin` is set, that is, if the link itself is http. So no redirect can send a value meant for https
  // over an unencrypted connection.
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

// Returns the value of an Authorization header for "USER:PASSWORD".
std::string basic_authorization(std::string_view credentials);

// Returns true if a request to `hop` may carry the headers that the user gave for `link`. Both must have the same
// origin, or the hop must be the same host by https instead of http.
bool is_own_origin(const parser::Url& link, const parser::Url& hop);

class ExtraHeaders {
 public:
  // The rules must have been parsed before. Throws std::runtime_error if a pattern is invalid.
  explicit ExtraHeaders(const std::vector<HeaderRule>& rules);

  // Returns the headers for a request to `hop`. A rule with a pattern applies wherever the pattern matches. A rule
  // without one applies if `is_to_own_origin` is set; elsewhere, only harmless headers such as Accept-Language are
  // sent.
  std::vector<const HeaderRule*> for_hop(const parser::Url& hop, bool is_to_own_origin) const;

 private:
  struct Compiled {
    HeaderRule rule;
    std::optional<UrlPattern> pattern;
    bool harmless = false;
  };
  std::vector<Compiled> rules_;
};

// Adds `extra` to `lines` ("Name: value"). A header replaces a line of the same name; cookies are joined.
void add_headers(std::vector<std::string>& lines, const std::vector<const HeaderRule*>& extra);

}  // namespace linkherd::crawler
