// Reads tracking rules from a user's file in the JSON format of ClearURLs
// (https://docs.clearurls.xyz/latest/specs/rules/). Each provider has a URL pattern, parameter patterns, raw patterns,
// exceptions and redirections. The rules extend the built-in table. RE2 matches the patterns in linear time; a pattern
// that RE2 rejects is skipped with a warning.
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
  // Returns an Error if the text is not a valid rule file. Each unusable rule adds a line to `warnings`, which gets at
  // most 101 lines. Limits: 16 MiB of text, 20,000 patterns, 4 KiB per pattern.
  static Result<TrackingRules> parse_clear_urls(std::string_view json, std::vector<std::string>& warnings);

  TrackingRules(TrackingRules&&) noexcept;
  TrackingRules& operator=(TrackingRules&&) noexcept;
  TrackingRules(const TrackingRules&) = delete;
  TrackingRules& operator=(const TrackingRules&) = delete;
  ~TrackingRules();

  // The indexes of the providers whose pattern matches the URL and whose exceptions do not.
  using Matches = std::vector<std::size_t>;
  Matches matches(const Url& url) const;

  // `name` must be percent-decoded.
  bool is_tracking_parameter(const Matches& matches, std::string_view name) const;
  // Returns the target of a redirector link, according to the redirections of the providers. Returns nullopt if none
  // of them yields an http or https URL.
  std::optional<Url> redirect_target(const Url& url) const;
  // Applies the raw rules. Returns nullopt if none of them changes the URL, or if the result is not an http or https
  // URL.
  std::optional<Url> apply_raw_rules(const Url& url) const;

 private:
  struct Providers;
  explicit TrackingRules(std::unique_ptr<Providers> providers);

  std::unique_ptr<Providers> providers_;
};

}  // namespace linkherd::parser
