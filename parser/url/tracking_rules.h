// Tracking rules of a user's file, in the JSON format of ClearURLs (https://docs.clearurls.xyz/latest/specs/rules/):
// providers with a pattern of URLs, patterns of parameters, raw patterns, exceptions and redirections. They are used
// beside our own table. Patterns run in RE2, in linear time; one that it refuses is left out and named in a warning.
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
  // A text that is no such file is an Error; a rule of it that cannot be used is a line of `warnings`. At most 16 MiB
  // of text and 20,000 patterns of 4 KiB are read.
  static Result<TrackingRules> read_clear_urls(std::string_view json, std::vector<std::string>& warnings);

  TrackingRules(TrackingRules&&) noexcept;
  TrackingRules& operator=(TrackingRules&&) noexcept;
  TrackingRules(const TrackingRules&) = delete;
  TrackingRules& operator=(const TrackingRules&) = delete;
  ~TrackingRules();

  // The providers whose pattern is that of the URL, and whose exceptions are not.
  using Matches = std::vector<std::size_t>;
  Matches matches(const Url& url) const;

  bool is_tracking_parameter(const Matches& matches, std::string_view name) const;  // name: percent-decoded
  std::optional<Url> redirect_target(const Url& url) const;                         // as a provider's redirections say
  std::optional<Url> without_tracking_text(const Url& url) const;  // nothing where no raw rule changes it

 private:
  struct Providers;
  explicit TrackingRules(std::unique_ptr<Providers> providers);

  std::unique_ptr<Providers> providers_;
};

}  // namespace linkherd::parser
