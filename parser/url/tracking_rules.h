// Tracking rules from a user's file, in the JSON format of ClearURLs (https://docs.clearurls.xyz/latest/specs/rules/):
// providers with a URL pattern, parameter patterns, raw patterns, exceptions and redirections. They extend the
// built-in table. Patterns are matched by RE2 in linear time; a pattern that RE2 rejects is skipped with a warning.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::parser {

class TrackingRules {
 public:
  // Returns an Error if the text is not such a file. Each rule that cannot be used adds a line to `warnings`. Limits:
  // 16 MiB of text, 20,000 patterns of 4 KiB.
  static Result<TrackingRules> read_clear_urls(std::string_view json, std::vector<std::string>& warnings);

  TrackingRules(TrackingRules&&) noexcept;
  TrackingRules& operator=(TrackingRules&&) noexcept;
  TrackingRules(const TrackingRules&) = delete;
  TrackingRules& operator=(const TrackingRules&) = delete;
  ~TrackingRules();

  // The providers whose pattern matches the URL and whose exceptions do not.
  using Matches = std::vector<std::size_t>;
  Matches matches(const Url& url) const;

  bool is_tracking_parameter(const Matches& matches, std::string_view name) const;  // name: percent-decoded
  std::optional<Url> redirect_target(const Url& url) const;        // by the redirections of the providers
  std::optional<Url> without_tracking_text(const Url& url) const;  // nullopt if no raw rule changes the URL

 private:
  struct Providers;
  explicit TrackingRules(std::unique_ptr<Providers> providers);

  std::unique_ptr<Providers> providers_;
};

}  // namespace linkherd::parser
