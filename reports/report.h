// What every report is made from, whether it comes from a run that has just ended or from the store. Links are held by
// number, so that a report of a million links is written after one pass over them.
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
// Null where a link is not accepted. Empty: none is.
using FindAcceptance = std::function<const Acceptance*(const storage::CheckedLink&)>;

using LinkList = std::vector<std::size_t>;  // numbers, in the order of the lists

// Links of one host or with one cause.
struct LinkGroup {
  std::string name;
  std::string words;  // the description of its first link
  bool alike = true;  // whether all links have that description
  LinkList links;
};

// The sections of the text report. Every link is in exactly one of them; broken_locally is a part of broken.
struct Sections {
  LinkList broken;          // dead and insecure
  LinkList broken_locally;  // of these: found without the network
  LinkList accepted;        // dead, insecure, suspect, unreachable or blocked, as the user knows
  LinkList suspect;
  LinkList moved;                  // permanently
  std::vector<LinkGroup> blocked;  // by host
  LinkList unreachable;
  std::vector<LinkGroup> deferred;  // by cause
  std::vector<LinkGroup> skipped;   // by cause
  LinkList fine;                    // alive, and temporarily redirected
  std::size_t not_reached = 0;      // of the deferred: because the run ended early
};

// Computed from all links.
struct Overview {
  Summary summary;
  MetadataCounts metadata;
  Sections sections;
};

struct Report {
  storage::Run run;
  const storage::CheckedLinks* links = nullptr;  // they outlive the report
  Overview overview;
  std::vector<DuplicateGroup> duplicates;
  std::optional<Duration> elapsed;       // nothing where the report is from the store
  std::vector<storage::PaceBound> pace;  // the slowest first
  std::unordered_map<std::size_t, Acceptance> accepted;
  std::string store;  // its path; empty: no store
};

// Reads every link once, and fills in `links`, `overview` and `duplicates`; the caller sets the rest. `rules`: the
// user's tracking rules beside the built-in ones; may be null.
Report report_on(const storage::CheckedLinks& links, DuplicateScope scope, const parser::TrackingRules* rules,
                 const FindAcceptance& find_acceptance = {});

}  // namespace linkherd::reports
