// The content of a report, which all formats share. The report is of a run that has just finished, or from the store.
// Links are referenced by number, so a report of a million links needs one pass over them.
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
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::reports {

// A failure that the user accepts.
struct Acceptance {
  std::string reason;
  std::string until;  // last day of acceptance, YYYY-MM-DD
  std::string by;     // may be empty
};
// Returns nullptr if a link is not accepted. An empty function accepts nothing.
using FindAcceptance = std::function<const Acceptance*(const storage::LinkResult&)>;

// The section of a report that lists a link. Names are options and printed: DO NOT CHANGE them. Every link is in one
// section; links in `noted` are in another section as well. `changes`, `repeated` and `certificates` have no links of
// their own.
enum class Section : std::uint8_t {
  dead,
  insecure,       // the page exists, but its certificate is bad
  suspect,        // except content drift
  content_drift,  // suspect, because the page became another page
  accepted,       // dead, insecure, suspect, unreachable or blocked, but accepted by the user
  moved,          // permanent redirects
  noted,          // links with facts, such as an archived repository
  repeated,       // duplicates
  certificates,   // certificates that end soon
  blocked,
  unreachable,
  deferred,
  skipped,
  fine,     // alive or temporarily redirected
  changes,  // changes since an earlier run
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

// The properties that many report rows have in common, as indices into the name tables of Sections.
struct FindingKind {
  std::uint32_t cause = 0;
  std::uint32_t reason = 0;  // index of a human-readable reason, which is more specific than the cause
  std::uint32_t host = 0;    // 0: no host
  storage::Health health = storage::Health::alive;
};

// A link in a section. It is small, because for most links of a large site nothing else is kept.
struct Finding {
  std::uint32_t link = 0;  // number of the link, in list order
  std::uint32_t kind = 0;  // index; see Sections::kind_of()
  std::uint32_t file = 0;  // index of the file of its first occurrence
};

// Names by index. Index 0 is the empty name.
struct NameTable : parser::TextTable {
  NameTable() { intern(""); }
};

struct Sections {
  std::array<std::vector<Finding>, section_names.size()> links;
  // Number of occurrences of the links, by section and health.
  std::array<std::array<std::size_t, storage::health_names.size()>, section_names.size()> occurrences{};
  std::size_t fine_alive = 0;      // number of alive links in `fine`; the others are redirected
  std::vector<FindingKind> kinds;  // by index
  NameTable causes, reasons, hosts, files;
  std::unordered_map<std::uint32_t, Cause> cause_texts;  // by index of the cause
  std::vector<std::uint32_t> links_of_host;              // by index of the host

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

// A host of living links whose certificate ends soon, or is sent without its whole chain.
struct EndingCertificate {
  std::string host;
  Timestamp expires;
  bool is_ending = false;
  bool is_chain_incomplete = false;  // browsers fetch the missing certificate
  std::size_t links = 0;
  std::size_t first_link = 0;  // number of the first link of the host

  bool operator==(const EndingCertificate&) const = default;
};

// Selects the certificates that end soon: within `days` days after `now`. 0 days: no certificates are examined.
struct CertificateWatch {
  Timestamp now;
  int days = 0;
};

// Everything that is computed from all links.
struct Overview {
  Summary summary;
  MetadataCounts metadata;
  Sections sections;
  std::vector<EndingCertificate> certificates;  // sorted by expiry date
};

// Absolute paths that repository_path() needs. An empty root means that there is no repository.
struct RepositoryPaths {
  std::string root;
  std::string folder;  // the current folder; files are named relative to it
};

struct Report {
  storage::Run run;
  OutcomePolicy policy;
  Outcome outcome;                               // exit code of the command, and the reason
  const storage::CheckedLinks* links = nullptr;  // must outlive the report
  Overview overview;
  std::vector<DuplicateGroup> duplicates;
  Changes changes;
  std::size_t all_repeated = 0;      // groups of duplicates, including those that are not shown …
  std::size_t all_certificates = 0;  // … and hosts whose certificate ends soon
  Summary news;                      // summary of the changed links that are not accepted
  std::vector<std::pair<storage::LinkId, storage::NotificationState>>
      notification_states;                        // to be stored after the notification was sent
  bool only_changes = false;                      // sections list only links with news; see is_in_report()
  std::size_t repeated_mentions = 0;              // links that repeat a page but are not main links of entries
  std::optional<Duration> elapsed;                // nullopt for a report from the store
  std::vector<storage::PaceBound> slowest_hosts;  // slowest first
  std::unordered_map<std::size_t, Acceptance> accepted;
  CertificateWatch certificate_watch;
  std::string store;  // path; empty: no store
  // Human-readable; the part of the inputs that was checked, or what was crawled; empty: everything, or unknown.
  std::string scope;
  RepositoryPaths paths;
  std::vector<storage::Run> other_runs;  // the latest run of each other list of inputs in the store; newest first
};

// Returns the duration of the run. For a run from the store, its times determine it. Returns nullopt if the run did not
// end.
std::optional<Duration> elapsed_of(const Report& report);

// Returns true if the report includes this link. The counts of the run include all links.
bool is_in_report(const Report& report, std::size_t link);

// The inputs of a report, besides the links of its run.
struct ReportSources {
  storage::Run run = {};
  DuplicateScope duplicates = DuplicateScope::off;
  const parser::TrackingRules* rules = nullptr;  // the user's rules in addition to the built-in ones; may be nullptr
  FindAcceptance find_acceptance = {};
  CertificateWatch certificates = {};
  const EarlierRun* since = nullptr;  // nullptr: there is no earlier run
  bool only_changes = false;          // ignored if there is no earlier run
};

// Reads every link once and sets everything that is computed from links. The caller sets the rest.
Report report_on(const storage::CheckedLinks& links, ReportSources sources);

}  // namespace linkherd::reports
