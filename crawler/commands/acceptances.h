// Failures that the user knows and accepts until a date: the [[accepted]] tables of linkherd.toml, which
// `linkherd accept` writes. Their health stays what it is; they do not fail a check.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "reports/report.h"
#include "storage/checked_links.h"

namespace re2 {
class RE2;
}

namespace linkherd::crawler {

inline constexpr const char* accepted_section = "accepted";

class Acceptances {
 public:
  // Of TOML with [[accepted]] tables. Each has `url`, as a list writes it, or `pattern`, a regular expression of RE2
  // that is found in the URL; `until`, the last day as YYYY-MM-DD (UTC); `reason`; and perhaps `by`.
  static Result<Acceptances> read(std::string_view toml);
  void append(const Acceptances& others);

  // Looks up the links of a report of that time. This must outlive it.
  reports::FindAcceptance finder(Timestamp now) const;
  // "https://a.example/ (until 2026-03-01)", each that has no effect any more.
  std::vector<std::string> expired(Timestamp now) const;

 private:
  const reports::Acceptance* find(const storage::CheckedLink& link, std::string_view today) const;

  std::vector<std::shared_ptr<const reports::Acceptance>> all_;
  std::vector<std::string> names_;  // of each: its URL or pattern
  std::unordered_map<std::string, std::size_t> by_url_;
  std::vector<std::pair<std::shared_ptr<const re2::RE2>, std::size_t>> by_pattern_;
};

// Declares the setting; `accepted` stays null where there are none.
void add_accepted_option(CLI::App& app, std::shared_ptr<const Acceptances>& accepted);

// Empty for null. Says in the log what has expired.
reports::FindAcceptance find_accepted(const std::shared_ptr<const Acceptances>& accepted, Timestamp now);

}  // namespace linkherd::crawler
