// For which URLs a setting holds: a regular expression for the beginning of a URL, with or without its scheme. It
// speaks for whole hosts with their ports only, so that what is meant for example.com never goes to
// example.com.evil.net, to example.com:8443, nor to a page that has example.com in its path.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "parser/result.h"
#include "parser/url/url.h"

namespace re2 {
class RE2;
}

namespace linkherd::crawler {

class UrlPattern {
 public:
  static Result<UrlPattern> parse(std::string_view text);
  ~UrlPattern();
  UrlPattern(UrlPattern&&) noexcept;
  UrlPattern& operator=(UrlPattern&&) noexcept;

  // Its query and fragment have no say. A pattern without a scheme means https; http only `at_home`, where the link
  // itself is http, so that no redirect takes what is meant for https to a connection that everybody can read.
  bool matches(const parser::Url& url, bool at_home) const;

 private:
  explicit UrlPattern(std::unique_ptr<re2::RE2> expression);
  bool starts(std::string_view text, std::size_t host_start, std::size_t port_end) const;

  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace linkherd::crawler
