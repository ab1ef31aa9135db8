// Accepted failures: the [[accepted]] tables of linkherd.toml, which `linkherd accept` writes. Until its date, such a
// failure keeps its health but does not fail a check.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/cli/options/option.h"
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
  // Reads TOML with [[accepted]] tables. Keys: `url` as written in a document, or `pattern`, an RE2 regular expression
  // that is searched in the URL; `until`, the last day as YYYY-MM-DD (UTC); `reason`; optionally `by`.
  static Result<Acceptances> read(std::string_view toml);
  void append(const Acceptances& others);

  // Returns the lookup function for a report with the time `now`. This object must outlive it.
  reports::FindAcceptance finder(Timestamp now) const;
  // Returns a text such as "https://a.example/ (until 2026-03-01)" for each expired acceptance that no other acceptance
  // renews.
  std::vector<std::string> expired(Timestamp now) const;

 private:
  struct ValidPatterns;
  ValidPatterns patterns_valid_on(std::string_view today) const;
  const reports::Acceptance* find(const storage::LinkResult& result, std::string_view today,
                                  const ValidPatterns& patterns) const;

  std::vector<std::shared_ptr<const reports::Acceptance>> all_;
  std::vector<std::string> names_;  // the URL or pattern of each acceptance
  std::unordered_map<std::string, std::size_t> by_url_;
  std::vector<std::pair<std::shared_ptr<const re2::RE2>, std::size_t>> by_pattern_;
};

// Returns the target of the setting. `accepted` remains null if there are no tables.
OptionTarget read_accepted(std::shared_ptr<const Acceptances>& accepted);

// Returns an empty function if `accepted` is null. Logs expired acceptances.
reports::FindAcceptance find_accepted(const std::shared_ptr<const Acceptances>& accepted, Timestamp now);

}  // namespace linkherd::crawler
