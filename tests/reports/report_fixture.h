// Builds reports for tests from links with an occurrence, a verdict and a page, in a few words per test.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/timestamp.h"
#include "reports/report.h"
#include "storage/checked_links.h"
#include "storage/link_result.h"

namespace linkherd::reports {

class LinksInMemory : public std::vector<storage::CheckedLink>, public storage::CheckedLinks {
 public:
  using std::vector<storage::CheckedLink>::vector;

  std::size_t size() const override { return std::vector<storage::CheckedLink>::size(); }
  storage::CheckedLink at(std::size_t number) const override {
    storage::CheckedLink link = (*this)[number];
    storage::complete(link, link.result.occurrences);
    return link;
  }
  std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override {
    return (*this)[number].result.occurrences;
  }
  // Visits the last link first, because no report may depend on the order.
  void for_each(const std::function<void(std::size_t, const storage::CheckedLink&)>& visit) const override {
    for (std::size_t number = size(); number-- > 0;) visit(number, at(number));
  }
  void for_each_of(std::span<const std::uint32_t> numbers,
                   const std::function<bool(std::size_t, const storage::CheckedLink&)>& visit) const override {
    for (std::size_t i = numbers.size(); i-- > 0 && visit(i, at(numbers[i]));) {
    }
  }
};

// A report whose parts a test can change until it calls report().
struct ReportBuilder {
  storage::Run run;
  LinksInMemory links;
  std::vector<DuplicateGroup> duplicates;
  std::optional<Duration> elapsed;
  std::vector<storage::PaceBound> slowest_hosts;
  std::string store;
  Timestamp now;
  int certificate_days = 0;
  std::optional<EarlierRun> since;
  bool only_changes = false;
  Outcome outcome;

  Report report() const {
    Report seen = report_on(links, {.run = run,
                                    .now = now,
                                    .certificate_days = certificate_days,
                                    .since = since ? &*since : nullptr,
                                    .only_changes = only_changes});
    seen.duplicates = duplicates;
    seen.elapsed = elapsed;
    seen.slowest_hosts = slowest_hosts;
    seen.store = store;
    seen.outcome = outcome;
    return seen;
  }
};

inline std::vector<DuplicateGroup> find_duplicates(const LinksInMemory& links, DuplicateScope scope,
                                                   const parser::TrackingRules* rules = nullptr) {
  return report_on(links, {.duplicates = scope, .rules = rules}).duplicates;
}

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

// Returns a link with one occurrence, at `line` of `file`, that was fetched and has the given verdict.
inline storage::CheckedLink link(std::string file, unsigned line, std::string url, storage::Verdict evaluated) {
  storage::CheckedLink made;
  const std::string page = url.substr(0, url.find('#'));
  made.result.occurrences.push_back(occurrence(std::move(file), line, 1, std::move(url)));
  made.result.verdict = evaluated;
  made.result.finished = true;
  made.state.url = page;
  made.state.snapshot.fetched_at = at("2026-03-05T10:20:00Z");
  made.state.snapshot.final_url = page;
  made.state.snapshot.verdict = std::move(evaluated);
  return made;
}

inline storage::CheckedLink alive(std::string file, unsigned line, std::string url, std::string_view body = "") {
  storage::CheckedLink made =
      link(std::move(file), line, std::move(url), verdict(storage::Health::alive, storage::reason::ok));
  made.state.snapshot.status = 200;
  if (!body.empty()) made.state.snapshot.body_digest = storage::content_digest(body);
  return made;
}

inline storage::CheckedLink redirected(std::string file, unsigned line, const std::string& url,
                                       const std::string& target, int status = 301) {
  const bool permanent = status == 301 || status == 308;
  storage::CheckedLink made =
      link(std::move(file), line, url,
           verdict(storage::Health::redirected,
                   permanent ? storage::reason::moved_permanently : storage::reason::moved_temporarily));
  made.state.snapshot.redirects.push_back({url, status, target});
  made.state.snapshot.final_url = target;
  made.state.snapshot.status = 200;
  return made;
}

// Returns a dead link whose page is now at `url`.
inline storage::CheckedLink relocated(std::string file, unsigned line, std::string from, std::string url,
                                      storage::RelocationLevel level = storage::RelocationLevel::sure) {
  storage::CheckedLink made = link(std::move(file), line, std::move(from), verdict(storage::Health::dead, "http_404"));
  made.result.occurrences[0].length = made.result.occurrences[0].url.size();
  made.state.relocation = storage::Relocation{.url = std::move(url),
                                              .level = level,
                                              .source = storage::RelocationSource::sitemap,
                                              .similarity = 0.97,
                                              .evidence = "same title, about 97 % of the text",
                                              .searched_at = at("2026-03-05")};
  return made;
}

// Returns a report on two hosts whose certificates expire within ten days, one host whose certificate does not, and a
// dead link.
inline ReportBuilder report_with_certificates() {
  ReportBuilder report;
  report.now = at("2026-03-05T12:00:00Z");
  report.certificate_days = 10;
  const auto add = [&report](storage::CheckedLink made, std::string_view expires) {
    made.state.snapshot.certificate = storage::Certificate{"CN = x", "CN = y", at(expires)};
    report.links.push_back(std::move(made));
  };
  add(alive("a.md", 1, "https://later.example/"), "2026-03-14T10:00:00Z");
  add(alive("a.md", 2, "https://soon.example/1"), "2026-03-07T00:00:00Z");
  add(redirected("a.md", 3, "https://moved.example/", "https://soon.example/2"), "2026-03-07T00:00:00Z");
  add(alive("a.md", 4, "https://safe.example/"), "2026-04-07T00:00:00Z");
  add(link("a.md", 5, "https://gone.example/", verdict(storage::Health::dead, "http_404")), "2026-03-06T00:00:00Z");
  return report;
}

}  // namespace linkherd::reports
