#include "crawler/fetch/url_pattern.h"

#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

namespace linkherd::crawler {

UrlPattern::UrlPattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
UrlPattern::~UrlPattern() = default;
UrlPattern::UrlPattern(UrlPattern&&) noexcept = default;
UrlPattern& UrlPattern::operator=(UrlPattern&&) noexcept = default;

Result<UrlPattern> UrlPattern::parse(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  options.set_case_sensitive(false);  // hosts are; that a path differs in case only is no reason to withhold a header
  const std::string expression(text);
  auto compiled = std::make_unique<re2::RE2>(expression, options);
  if (!compiled->ok()) return Error{fmt::format("\"{}\" is no regular expression: {}", text, compiled->error())};
  return UrlPattern(std::move(compiled));
}

bool UrlPattern::matches(const parser::Url& url, bool at_home) const {
  const std::string scheme = std::string(url.scheme()) + "://";
  const auto matches_with = [&](const std::string& host) {
    const std::string text = host + std::string(url.path());
    const bool may_lack_scheme = at_home || url.scheme() == "https";
    return (may_lack_scheme && starts(text, 0, host.size())) ||
           starts(scheme + text, scheme.size(), scheme.size() + host.size());
  };
  const std::string host(url.host());
  // A port that is the scheme's own may be written or left out.
  return matches_with(fmt::format("{}:{}", host, url.effective_port())) || (!url.port() && matches_with(host));
}

// The whole host and its port must be matched, whatever else is.
bool UrlPattern::starts(std::string_view text, std::size_t host_start, std::size_t port_end) const {
  re2::StringPiece found;
  if (!expression_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_START, &found, 1)) return false;
  const std::size_t end = found.size();
  return end > host_start && end >= port_end;
}

}  // namespace linkherd::crawler
