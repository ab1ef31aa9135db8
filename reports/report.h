// The content of every report, of a finished run or from the store. Links are referenced by number, so a report of a
// million links needs one pass over them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/enum_names.h"
#include "parser/text_table.h"
#include "parser/timestamp.h"
#include "reports/cause.h"
#include "reports/changes.h"
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

// Where a report tells of a link. Names are options and printed: DO NOT CHANGE them. Every link is in one of these, and
// those in `noted` in another one as well; `changes`, `repeated` and `certificates` hold no links of their own.
enum class Section : std::uint8_t {
  dead,
  insecure,       // the page is there, behind a bad certificate
  suspect,        // but for drift
  content_drift,  // suspect: the page became another one
  accepted,       // dead, insecure, suspect, unreachable or blocked, but accepted by the user
  moved,          // permanently
  noted,          // with facts, such as an archived repository
  repeated,       // the duplicates
  certificates,   // that end soon
  blocked,
  unreachable,
  deferred,
  skipped,
  fine,     // alive, and temporarily redirected
  changes,  // since an earlier run
};
inline constexpr std::array<EnumName<Section>, 15> section_names{{{Section::dead, "dead"},
                                                                  {Section::insecure, "insecure"},
                                                                  {Section::suspect, "suspect"},
                                                                  {Section::content_drift, "drift"},
                                                                  {Section::accepted, "accepted"},
                                                                  {Section::moved, "moved"},
                                                                  {Section::noted, "noted"},
                                                                  {Section::repeated, "repeated"},
                                                                  {Section::certificates, "certificates"},
                                                                  {Section::blocked, "blocked"},
                                                                  {Section::unreachable, "unreachable"},
                                                                  {Section::deferred, "deferred"},
                                                                  {Section::skipped, "skipped"},
                                                                  {Section::fine, "fine"},
                                                                  {Section::changes, "changes"}}};

Section section_of(const storage::Verdict& verdict, bool is_accepted);

// What many links in sections have in common: numbers of the names in Sections.
struct FindingKind {
  std::uint32_t cause = 0;
  std::uint32_t reason = 0;  // in words; finer than the cause
  std::uint32_t host = 0;    // 0: none
  storage::Health health = storage::Health::alive;
};

// A link in a section. Small, because of most links of a large site nothing else is kept.
struct Finding {
  std::uint32_t link = 0;  // in the order of the lists
  std::uint32_t kind = 0;  // number: see Sections::kind_of()
  std::uint32_t file = 0;  // of its first place: number of the name
};

// Names by number. Number 0 is the empty name.
struct NameTable : parser::TextTable {
  NameTable() { intern(""); }
};

struct Sections {
  std::array<std::vector<Finding>, section_names.size()> links;
  // How many places their links have, by section and health.
  std::array<std::array<std::size_t, storage::health_names.size()>, section_names.size()> occurrences{};
  std::size_t fine_alive = 0;      // of the links in `fine`; the others are redirected
  std::vector<FindingKind> kinds;  // by number
  NameTable causes, reasons, hosts, files;
  std::unordered_map<std::uint32_t, Cause> cause_words;  // by number of the cause
  std::vector<std::uint32_t> links_of_host;              // by number of the host

  const FindingKind& kind_of(const Finding& finding) const { return kinds[finding.kind]; }
  const std::vector<Finding>& of(Section section) const { return links[static_cast<std::size_t>(section)]; }
  std::vector<Finding>& of(Section section) { return links[static_cast<std::size_t>(section)]; }
  std::size_t& occurrences_of(Section section, storage::Health health) {
    return occurrences[static_cast<std::size_t>(section)][static_cast<std::size_t>(health)];
  }
  std::size_t occurrences_of(Section section, storage::Health health) const {
    return occurrences[static_cast<std::size_t>(section)][static_cast<std::size_t>(health)];
  }
};

// A host of living links whose certificate ends soon, or does not come with the whole chain.
struct EndingCertificate {
  std::string host;
  Timestamp expires;
  bool is_ending = false;
  bool is_chain_incomplete = false;  // browsers look up what is missing
  std::size_t links = 0;
  std::size_t first_link = 0;  // in the order of the lists

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

// Where the files that a report names lie, both absolute. An empty root: in no repository.
struct RepositoryPaths {
  std::string root;
  std::string folder;  // the current one, from which the files are named
};

struct Report {
  storage::Run run;
  OutcomePolicy policy;
  Outcome outcome;                               // as the command ends
  const storage::CheckedLinks* links = nullptr;  // must outlive the report
  Overview overview;
  std::vector<DuplicateGroup> duplicates;
  Changes changes;
  std::size_t all_repeated = 0;      // groups of repeated entries, also those that are not told …
  std::size_t all_certificates = 0;  // … and hosts whose certificate ends soon
  Summary news;                      // of the links that changed, where they are not accepted
  std::vector<std::pair<storage::LinkId, storage::NotificationState>>
      notification_states;               // what is to be stored once the changes were told
  bool only_changes = false;             // sections have only links with news: see is_in_report()
  std::size_t repeated_mentions = 0;     // links that repeat a page without being the main link of an entry
  std::optional<Duration> elapsed;       // nullopt if the report is from the store
  std::vector<storage::PaceBound> pace;  // slowest first
  std::unordered_map<std::size_t, Acceptance> accepted;
  CertificateWatch certificate_watch;
  std::string store;  // path; empty: no store
  std::string scope;  // which links of the inputs these are, or what was crawled, in words; empty: all, or not known
  RepositoryPaths paths;
  std::vector<storage::Run> other_runs;  // the latest of each other list of inputs in the store; newest first
};

// How long the run took; of a stored run this is known by its times. Nullopt if it did not end.
std::optional<Duration> elapsed_of(const Report& report);

// Whether the links of the report have this one. Counts of the run count the others as well.
bool is_in_report(const Report& report, std::size_t link);

// What a report is made of, besides the links of its run.
struct ReportSources {
  storage::Run run = {};
  DuplicateScope duplicates = DuplicateScope::off;
  const parser::TrackingRules* rules = nullptr;  // the user's, in addition to the built-in ones; may be null
  FindAcceptance find_acceptance = {};
  CertificateWatch certificates = {};
  const EarlierRun* since = nullptr;  // null: nothing to compare with
  bool only_changes = false;          // where there is something to compare with
};

// Reads every link once and sets what is computed of them; the caller sets the rest.
Report report_on(const storage::CheckedLinks& links, ReportSources sources);

}  // namespace linkherd::reports
