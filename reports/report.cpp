#include "reports/report.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "parser/url/url.h"
#include "reports/duplicate_entries.h"
#include "reports/messages.h"
#include "reports/notification_tracker.h"
#include "storage/read_ahead.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::Health;
using storage::LinkResult;

// The explanation of a link's verdict.
struct Explanation {
  Cause cause;
  std::string reason;
};

// Everything that is known about a link by itself, before it is compared with others.
struct ExaminedLink {
  std::size_t index = 0;
  const LinkResult* visited = nullptr;
  std::unique_ptr<const LinkResult> whole;  // set if the visited result lacks occurrences that are needed
  bool is_web = false;
  std::string host;
  std::shared_ptr<const Explanation> explanation;  // shared by links that are fine in the same way
  LinkTraits traits;
  std::optional<Health> before;  // health in the earlier run

  const LinkResult& result() const { return whole ? *whole : *visited; }
};

bool has_same_fine_verdict(const storage::Verdict& one, const storage::Verdict& other) {
  return one.health == other.health && one.reason == other.reason && storage::is_fine(one.health, one.reason);
}

// Makes the rows of links. Links are added once each, in any order.
class RowCollector {
 public:
  explicit RowCollector(std::size_t links) { sections_.by_link.resize(links); }

  // Returns the row, whose section and change the caller sets.
  ReportRow& add(const ExaminedLink& seen) {
    const LinkResult& result = seen.result();
    ReportRow& row = sections_.by_link[seen.index];
    row.cause = intern(seen.explanation->cause);
    row.link = static_cast<std::uint32_t>(seen.index);
    row.reason = sections_.reasons.intern(seen.explanation->reason);
    row.host = sections_.hosts.intern(seen.host);
    if (row.host >= sections_.links_of_host.size()) sections_.links_of_host.resize(row.host + std::size_t{1});
    ++sections_.links_of_host[row.host];
    if (result.occurrence_count > 0) row.file = sections_.files.intern(result.first.file);
    row.health = result.verdict.health;
    row.has_facts = result.page.has_facts;
    return row;
  }

  void count(const ReportRow& row, std::size_t occurrences) {
    Sections::Count& count =
        sections_.counts[static_cast<std::size_t>(row.section)][static_cast<std::size_t>(row.health)];
    ++count.links;
    count.occurrences += occurrences;
  }

  Sections take(bool only_changes) {
    for (const ReportRow& row : sections_.by_link) {
      if (row.cause == nullptr || (only_changes && !is_news(row))) continue;
      sections_.links[static_cast<std::size_t>(row.section)].push_back(row.link);
      if (row.has_facts) sections_.links[static_cast<std::size_t>(Section::noted)].push_back(row.link);
    }
    return std::move(sections_);
  }

 private:
  const Cause* intern(const Cause& cause) {
    const std::uint32_t index = cause_names_.intern(cause.name);
    if (index == sections_.causes.size()) sections_.causes.push_back(std::make_unique<const Cause>(cause));
    return sections_.causes[index].get();
  }

  Sections sections_;
  parser::TextTable cause_names_;  // by index of the cause
};

// Collects certificates by host, because all links of a host have the same certificate.
class CertificateCalendar {
 public:
  CertificateCalendar(Timestamp now, int days) : until_(now + std::chrono::days(days)) {}

  void add(std::size_t index, const LinkResult& result, NotificationTracker& tracker) {
    const storage::PageSummary& page = result.page;
    if (!storage::page_exists(result.verdict) || !page.certificate_expires) return;
    const Timestamp expires = *page.certificate_expires;
    const bool is_ending = expires <= until_;
    if (!is_ending && !page.is_chain_incomplete) return;
    const Result<parser::Url> url = parser::Url::parse(page.final_url);
    if (!url) return;
    EndingCertificate& host = hosts_[std::string(url->host())];
    const bool is_first = host.links == 0;
    host.expires = is_first ? expires : std::min(host.expires, expires);
    host.is_ending = host.is_ending || is_ending;
    host.is_chain_incomplete = host.is_chain_incomplete || page.is_chain_incomplete;
    host.first_link = is_first ? index : std::min(host.first_link, index);
    ++host.links;
    tracker.add_certificate(index, std::string(url->host()), expires);
  }

  std::vector<EndingCertificate> take() {
    std::vector<EndingCertificate> all;
    for (auto& [name, host] : hosts_) {
      host.host = name;
      all.push_back(std::move(host));
    }
    std::ranges::stable_sort(all, {}, &EndingCertificate::expires);
    return all;
  }

 private:
  const Timestamp until_;
  std::map<std::string, EndingCertificate> hosts_;
};

bool can_be_accepted(Health health) {
  switch (health) {
    case Health::dead:
    case Health::insecure:
    case Health::suspect:
    case Health::unreachable:
    case Health::blocked: return true;
    default: return false;
  }
}

// Returns the groups with a link that the earlier run did not have.
std::vector<DuplicateGroup> new_duplicates(const Report& report) {
  std::vector<DuplicateGroup> added;
  if (!report.changes.since) return added;
  const std::vector<ReportRow>& rows = report.sections.by_link;
  const auto is_added = [&rows](const EntryLocation& entry) { return !rows[entry.link].change->before; };
  std::ranges::copy_if(report.duplicates, std::back_inserter(added),
                       [&](const DuplicateGroup& group) { return std::ranges::any_of(group.entries, is_added); });
  return added;
}

// Computes a report from its links in two passes: first all links, then those that may be duplicates.
class ReportBuilder {
 public:
  ReportBuilder(const storage::CheckedLinks& links, ReportSources sources)
      : links_(links),
        sources_(std::move(sources)),
        rows_(links.size()),
        certificates_(sources_.now, sources_.certificate_days),
        duplicates_(sources_.duplicates, sources_.rules, links.size()),
        notification_tracker_(sources_.since, links.size()) {
    report_.links = &links;
    report_.run = std::move(sources_.run);
    report_.only_changes = sources_.only_changes && sources_.since != nullptr;
    report_.now = sources_.now;
    if (sources_.since == nullptr) return;
    report_.changes.since = sources_.since->run;
    report_.changes.is_since_notification = sources_.since->is_notified;
    report_.changes.removed = sources_.since->healths.size();
  }

  void read_links() {
    std::mutex adding;
    links_.for_each_result([&](std::span<const storage::NumberedResult> batch) {
      std::vector<ExaminedLink> seen(batch.size());
      std::size_t near = 0;  // position in the earlier run
      for (std::size_t i = 0; i < batch.size(); ++i) {
        examine(batch[i], i == 0 ? nullptr : &seen[i - 1], seen[i]);
        if (sources_.since != nullptr) seen[i].before = sources_.since->health(batch[i].second.id, near);
      }
      const std::lock_guard lock(adding);
      for (const ExaminedLink& link : seen) add(link);
    });
    const std::vector<std::uint32_t> candidates = duplicates_.candidates();
    links_.for_each_of(candidates, [&](std::size_t position, const CheckedLink& link) {
      duplicates_.add(candidates[position], link);
      return true;
    });
  }

  Report take() {
    report_.sections = rows_.take(report_.only_changes);
    report_.certificates = certificates_.take();
    report_.duplicates = duplicates_.take();
    report_.duplicate_mentions = duplicates_.duplicate_mentions();
    if (report_.run.is_partial) report_.changes.removed = 0;
    report_.all_duplicates = report_.duplicates.size();
    report_.all_certificates =
        static_cast<std::size_t>(std::ranges::count(report_.certificates, true, &EndingCertificate::is_ending));
    keep_only_news();
    return std::move(report_);
  }

 private:
  bool may_be_accepted(const LinkResult& result) const {
    return sources_.find_acceptance && can_be_accepted(result.verdict.health);
  }

  // Examines one link. Several threads call it at once. `before` is the previous link, whose explanation is reused if
  // both are fine in the same way; nullptr: none.
  void examine(const storage::NumberedResult& visited, const ExaminedLink* before, ExaminedLink& seen) const {
    seen.index = visited.first;
    seen.visited = &visited.second;
    const LinkResult& result = visited.second;
    const Result<parser::Url> url = parser::Url::parse(result.url);
    seen.is_web = url.has_value() && url->is_http();
    if (url.has_value()) seen.host = url->host();
    const bool is_whole = result.occurrences.size() == result.occurrence_count || result.occurrence_count <= 1;
    if (!is_whole && (seen.is_web || may_be_accepted(result)))
      seen.whole = std::make_unique<LinkResult>(links_.at(seen.index).result);
    seen.explanation =
        before != nullptr && has_same_fine_verdict(result.verdict, before->result().verdict)
            ? before->explanation
            : std::make_shared<const Explanation>(Explanation{cause_of(result), describe_reason(result.verdict)});
    seen.traits = duplicates_.traits_of(seen.index, result, url.has_value() ? &*url : nullptr);
  }

  void add(const ExaminedLink& seen) {
    const std::size_t index = seen.index;
    const LinkResult& result = seen.result();
    const Acceptance* const acceptance = may_be_accepted(result) ? sources_.find_acceptance(result) : nullptr;
    ReportRow& row = rows_.add(seen);
    row.section = section_of(result.verdict, acceptance != nullptr);
    row.change = compare(result, seen.before, acceptance != nullptr);
    report_.summary.add(result, row.host, acceptance != nullptr);
    notification_tracker_.add(index, result, acceptance != nullptr);
    if (sources_.certificate_days > 0) certificates_.add(index, result, notification_tracker_);
    if (acceptance != nullptr) report_.accepted.emplace(index, *acceptance);
    if (is_news(row)) report_.news.add(result, row.host, false);
    if (is_news(row) || !report_.only_changes) rows_.count(row, result.occurrence_count);
    duplicates_.note(index, result, seen.is_web, seen.traits);
  }

  // Compares a link with the earlier run, and counts its change. Returns nullopt if there is no earlier run. `before`
  // is the health of the link in that run.
  std::optional<LinkChange> compare(const LinkResult& result, std::optional<Health> before, bool is_accepted) {
    if (sources_.since == nullptr) return std::nullopt;
    if (before) --report_.changes.removed;
    const LinkChange found = change_of(result, before, sources_.since->run);
    if (!is_accepted) ++report_.changes.counts[static_cast<std::size_t>(found.change)];
    return found;
  }

  // Counts new groups and certificates. In a report of changes only, it removes all others.
  void keep_only_news() {
    const bool is_since_notification = report_.changes.is_since_notification;
    std::vector<DuplicateGroup> added =
        is_since_notification ? notification_tracker_.new_groups(report_.duplicates) : new_duplicates(report_);
    report_.changes.duplicates = added.size();
    if (is_since_notification) {
      std::vector<EndingCertificate> unknown = report_.certificates;
      std::erase_if(unknown,
                    [this](const EndingCertificate& one) { return notification_tracker_.knows_certificate(one.host); });
      report_.changes.certificates = unknown.size();
      report_.notification_states = notification_tracker_.take();
      if (report_.only_changes) report_.certificates = std::move(unknown);
    }
    if (!report_.only_changes) return;
    report_.duplicates = std::move(added);
    if (!is_since_notification) report_.certificates.clear();
  }

  const storage::CheckedLinks& links_;
  ReportSources sources_;
  Report report_;
  RowCollector rows_;
  CertificateCalendar certificates_;
  DuplicateFinder duplicates_;
  NotificationTracker notification_tracker_;
};

}  // namespace

Section section_of(const storage::Verdict& verdict, bool is_accepted) {
  if (is_accepted) return Section::accepted;
  switch (verdict.health) {
    case Health::alive: return Section::fine;
    case Health::redirected:
      return verdict.reason == storage::reason::moved_permanently ? Section::moved : Section::fine;
    case Health::dead: return Section::dead;
    case Health::insecure: return Section::insecure;
    case Health::suspect:
      return verdict.reason == storage::reason::content_changed ? Section::content_drift : Section::suspect;
    case Health::unreachable: return Section::unreachable;
    case Health::blocked: return Section::blocked;
    case Health::deferred: return Section::deferred;
    case Health::skipped: break;
  }
  return Section::skipped;
}

std::optional<Duration> elapsed_of(const Report& report) {
  if (report.elapsed || !report.run.finished_at) return report.elapsed;
  return *report.run.finished_at - report.run.started_at;
}

bool is_news(const ReportRow& row) {
  return row.section != Section::accepted && row.change && is_news(row.change->change);
}

Report report_on(const storage::CheckedLinks& links, ReportSources sources) {
  ReportBuilder builder(links, std::move(sources));
  builder.read_links();
  return builder.take();
}

}  // namespace linkherd::reports
