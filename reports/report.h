// The content of a report, which all formats share. The report is of a run that has just finished, or from the store.
// Links are referenced by number, so a report of a million links needs one pass over them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
// section; links in `noted` are in another section as well. `changes`, `duplicates` and `certificates` have no links of
// their own.
enum class Section : std::uint8_t {
  dead,
  insecure,       // the page exists, but its certificate is bad
  suspect,        // except content drift
  content_drift,  // suspect, because the page became another page
  accepted,       // dead, insecure, suspect, unreachable or blocked, but accepted by the user
  moved,          // permanent redirects
  noted,          // links with facts, such as an archived repository
  duplicates,     // entries for the same page
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
                                                                  {Section::duplicates, "repeated"},
                                                                  {Section::certificates, "certificates"},
                                                                  {Section::blocked, "blocked"},
                                                                  {Section::unreachable, "unreachable"},
                                                                  {Section::deferred, "deferred"},
                                                                  {Section::skipped, "skipped"},
                                                                  {Section::fine, "fine"},
                                                                  {Section::changes, "changes"}}};

Section section_of(const storage::Verdict& verdict, bool is_accepted);

// Names are printed: DO NOT CHANGE them.
enum class Level : std::uint8_t {
  error,    // fails the run
  warning,  // dead, insecure or suspect, but does not fail the run
  note,     // everything else that is not fine
  none,     // fine
};
inline constexpr std::array<EnumName<Level>, 4> level_names{
    {{Level::error, "error"}, {Level::warning, "warning"}, {Level::note, "note"}, {Level::none, "none"}}};

// A row of a report: a link in a section. It is small, because for most links of a large site nothing else is kept.
// Formats read the rest of the link when they write the row; see report_rows.h.
struct ReportRow {
  const Cause* cause = nullptr;  // in Sections::causes; nullptr: there is no such link
  std::uint32_t link = 0;        // number of the link, in list order
  std::uint32_t reason = 0;      // index of a human-readable reason, which is more specific than the cause
  std::uint32_t host = 0;        // index; 0: no host
  std::uint32_t file = 0;        // index of the file of its first occurrence
  Section section = Section::fine;
  Level level = Level::none;  // set by rows(), because it depends on Report::policy
  storage::Health health = storage::Health::alive;
  std::optional<LinkChange> change = {};  // nullopt: there is no earlier run to compare with
  bool has_facts = false;                 // the link has a second row, in `noted`
};

// Returns true if a report of changes lists the row. Accepted failures are no news.
bool is_news(const ReportRow& row);

// Names by index. Index 0 is the empty name.
struct NameTable : parser::TextTable {
  NameTable() { intern(""); }
};

// The rows of all links, and the links of each section. Cannot be copied, because rows refer to the causes.
struct Sections {
  struct Count {
    std::size_t links = 0;
    std::size_t occurrences = 0;
  };

  std::vector<ReportRow> by_link;                                      // indexed by the number of the link
  std::array<std::vector<std::uint32_t>, section_names.size()> links;  // numbers of the links, ascending
  std::array<std::array<Count, storage::health_names.size()>, section_names.size()> counts{};
  std::vector<std::unique_ptr<const Cause>> causes;
  NameTable reasons, hosts, files;
  std::vector<std::uint32_t> links_of_host;  // by index of the host

  const std::vector<std::uint32_t>& of(Section section) const { return links[static_cast<std::size_t>(section)]; }
  const Count& count(Section section, storage::Health health) const {
    return counts[static_cast<std::size_t>(section)][static_cast<std::size_t>(health)];
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

struct Report {
  storage::Run run;
  OutcomePolicy policy;
  Outcome outcome;                               // exit code of the command, and the reason
  const storage::CheckedLinks* links = nullptr;  // must outlive the report
  Summary summary;
  Sections sections;
  std::vector<EndingCertificate> certificates;  // sorted by expiry date
  std::vector<DuplicateGroup> duplicates;
  Changes changes;
  std::size_t all_duplicates = 0;    // groups of duplicates, including those that are not shown …
  std::size_t all_certificates = 0;  // … and hosts whose certificate ends soon
  Summary news;                      // summary of the changed links that are not accepted
  std::vector<std::pair<storage::LinkId, storage::NotificationState>>
      notification_states;                        // to be stored after the notification was sent
  bool only_changes = false;                      // sections list only links with news
  std::size_t duplicate_mentions = 0;             // links that repeat a page but are not main links of entries
  std::optional<Duration> elapsed;                // nullopt for a report from the store
  std::vector<storage::PaceBound> slowest_hosts;  // slowest first
  std::unordered_map<std::size_t, Acceptance> accepted;
  Timestamp now;
  std::string store;  // path; empty: no store
  // Human-readable; the part of the inputs that was checked, or what was crawled; empty: everything, or unknown.
  std::string scope;
  // Absolute paths that repository_path() needs.
  std::string repository;                // root of the repository; empty: there is none
  std::string folder;                    // the current folder; files are named relative to it
  std::vector<storage::Run> other_runs;  // the latest run of each other list of inputs in the store; newest first
};

// Returns the duration of the run. For a run from the store, its times determine it. Returns nullopt if the run did not
// end.
std::optional<Duration> elapsed_of(const Report& report);

// The inputs of a report, besides the links of its run.
struct ReportSources {
  storage::Run run = {};
  DuplicateScope duplicates = DuplicateScope::off;
  const parser::TrackingRules* rules = nullptr;  // the user's rules in addition to the built-in ones; may be nullptr
  FindAcceptance find_acceptance = {};
  Timestamp now = {};
  int certificate_days = 0;           // certificates that end within so many days are listed; 0: none are examined
  const EarlierRun* since = nullptr;  // nullptr: there is no earlier run
  bool only_changes = false;          // ignored if there is no earlier run
};

// Reads every link once and sets everything that is computed from links. The caller sets the rest.
Report report_on(const storage::CheckedLinks& links, ReportSources sources);

}  // namespace linkherd::reports
