// The content of every report, of a finished run or from the store. Links are referenced by number, so a report of a
// million links needs one pass over them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "parser/timestamp.h"
#include "reports/duplicates.h"
#include "reports/summary.h"
#include "storage/checked_links.h"
#include "storage/run.h"

namespace linkherd::reports {

// A failure that the user has accepted.
struct Acceptance {
  std::string reason;
  std::string until;  // the last day, YYYY-MM-DD
  std::string by;     // may be empty
};
// Returns null if a link is not accepted. An empty function accepts none.
using FindAcceptance = std::function<const Acceptance*(const storage::CheckedLink&)>;

using LinkList = std::vector<std::size_t>;  // numbers in the order of the lists

// Links with the same host or cause.
struct LinkGroup {
  std::string name;
  std::string words;  // the description of the first link
  bool alike = true;  // true if all links have that description
  LinkList links;
};

// The sections of the text report. Every link is in exactly one of them, except that broken_locally is a subset of
// broken, and noted of all links.
struct Sections {
  LinkList broken;          // dead and insecure
  LinkList broken_locally;  // subset of broken: found without the network
  LinkList accepted;        // dead, insecure, suspect, unreachable or blocked, but accepted by the user
  LinkList suspect;
  LinkList moved;                  // permanently
  std::vector<LinkGroup> blocked;  // by host
  LinkList unreachable;
  std::vector<LinkGroup> deferred;  // by cause
  std::vector<LinkGroup> skipped;   // by cause
  LinkList fine;                    // alive, and temporarily redirected
  LinkList noted;                   // links with facts; each is in another section as well
  std::size_t not_reached = 0;      // deferred because the run ended early
};

// A host of living links whose certificate ends soon.
struct EndingCertificate {
  std::string host;
  Timestamp expires;
  std::size_t links = 0;

  bool operator==(const EndingCertificate&) const = default;
};

// Which certificates end soon: those that do within so many days of this time. 0 days: none is looked at.
struct CertificateWatch {
  Timestamp now;
  int days = 0;
};

// Computed from all links.
struct Overview {
  Summary summary;
  MetadataCounts metadata;
  Sections sections;
  std::vector<EndingCertificate> certificates;  // the first to end first
};

struct Report {
  storage::Run run;
  const storage::CheckedLinks* links = nullptr;  // must outlive the report
  Overview overview;
  std::vector<DuplicateGroup> duplicates;
  std::size_t repeated_mentions = 0;     // links that repeat a page without being the main link of an entry
  std::optional<Duration> elapsed;       // nullopt if the report is from the store
  std::vector<storage::PaceBound> pace;  // slowest first
  std::unordered_map<std::size_t, Acceptance> accepted;
  CertificateWatch certificate_watch;
  std::string store;                     // path; empty: no store
  std::vector<storage::Run> other_runs;  // the latest of each other list of inputs in the store; newest first
};

// Reads every link once and sets `links`, `overview` and `duplicates`; the caller sets the rest. `rules`: the user's
// tracking rules in addition to the built-in ones; may be null.
Report report_on(const storage::CheckedLinks& links, DuplicateScope scope, const parser::TrackingRules* rules,
                 const FindAcceptance& find_acceptance = {}, const CertificateWatch& watch = {});

}  // namespace linkherd::reports
