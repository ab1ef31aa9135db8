// For which URLs a setting holds: a regular expression for the beginning of a URL, with or without its scheme. It
// speaks for whole hosts only, so that what is meant for example.com never goes to example.com.evil.net, nor to a page
// that has example.com in its path.
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

  bool matches(const parser::Url& url) const;  // its query and fragment have no say

 private:
  explicit UrlPattern(std::unique_ptr<re2::RE2> expression);
  bool starts(std::string_view text, std::size_t host_start, std::size_t host_end) const;

  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace linkherd::crawler
