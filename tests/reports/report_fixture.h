// Reports made by hand: links with a place, a verdict and a page, in a few words a test.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "parser/timestamp.h"
#include "reports/report.h"

namespace linkherd::reports {

inline Timestamp at(std::string_view text) { return parse_timestamp(text).value(); }

inline parser::LinkOccurrence occurrence(std::string file, unsigned line, unsigned column, std::string url) {
  parser::LinkOccurrence made;
  made.file = std::move(file);
  made.line = line;
  made.column = column;
  made.href = url;
  made.url = std::move(url);
  return made;
}

inline storage::Verdict verdict(storage::Health health, std::string_view reason, double confidence = 1.0) {
  return {health, std::string(reason), "test", "", confidence};
}

// A link of one occurrence, at `line` of `file`, fetched with that verdict.
inline storage::CheckedLink link(std::string file, unsigned line, std::string url, storage::Verdict judged) {
  storage::CheckedLink made;
  const std::string page = url.substr(0, url.find('#'));
  made.entry.occurrences.push_back(occurrence(std::move(file), line, 1, std::move(url)));
  made.entry.verdict = judged;
  made.entry.finished = true;
  made.record.url = page;
  made.record.snapshot.fetched_at = at("2026-03-05T10:20:00Z");
  made.record.snapshot.final_url = page;
  made.record.snapshot.verdict = std::move(judged);
  return made;
}

inline storage::CheckedLink alive(std::string file, unsigned line, std::string url, std::string digest = "") {
  storage::CheckedLink made =
      link(std::move(file), line, std::move(url), verdict(storage::Health::alive, storage::reason::ok));
  made.record.snapshot.status = 200;
  made.record.snapshot.body_digest = std::move(digest);
  return made;
}

inline storage::CheckedLink redirected(std::string file, unsigned line, const std::string& url,
                                       const std::string& target, int status = 301) {
  const bool permanent = status == 301 || status == 308;
  storage::CheckedLink made =
      link(std::move(file), line, url,
           verdict(storage::Health::redirected,
                   permanent ? storage::reason::moved_permanently : storage::reason::moved_temporarily));
  made.record.snapshot.redirects.push_back({url, status, target});
  made.record.snapshot.final_url = target;
  made.record.snapshot.status = 200;
  return made;
}

}  // namespace linkherd::reports
