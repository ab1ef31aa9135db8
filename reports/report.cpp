#include "reports/report.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "parser/url/url.h"
#include "reports/telling.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::Health;

// Assigns each link to its section. Links are added once each, in any order.
class SectionSorter {
 public:
  Finding finding(std::size_t number, const CheckedLink& link, std::string_view host) {
    Finding made;
    made.link = static_cast<std::uint32_t>(number);
    Cause cause = cause_of(link);
    made.cause = sections_.causes.number(cause.name);
    sections_.cause_words.try_emplace(made.cause, std::move(cause));
    made.reason = sections_.reasons.number(reason_in_words(link.entry.verdict));
    made.health = link.entry.verdict.health;
    made.host = sections_.hosts.number(host);
    if (made.host >= sections_.links_of_host.size()) sections_.links_of_host.resize(made.host + 1);
    ++sections_.links_of_host[made.host];
    made.places = static_cast<std::uint32_t>(link.entry.occurrences.size());
    if (!link.entry.occurrences.empty()) made.file = sections_.files.number(link.entry.occurrences.front().file);
    return made;
  }

  void add(Section section, const Finding& finding, Health health) {
    sections_.of(section).push_back(finding);
    if (section == Section::fine && health == Health::alive) ++sections_.fine_alive;
  }

  Sections take() {
    for (std::vector<Finding>& section : sections_.links) std::ranges::sort(section, {}, &Finding::link);
    return std::move(sections_);
  }

 private:
  Sections sections_;
};

// By host: the certificate is the same for all its links.
class CertificateCalendar {
 public:
  explicit CertificateCalendar(const CertificateWatch& watch) : until_(watch.now + std::chrono::days(watch.days)) {}

  void add(std::size_t number, const CheckedLink& link, Teller& teller) {
    const storage::Snapshot& snapshot = link.record.snapshot;
    if (!storage::is_there(link.entry.verdict) || !snapshot.certificate || !snapshot.certificate->expires) return;
    const Timestamp expires = *snapshot.certificate->expires;
    if (expires > until_) return;
    const Result<parser::Url> url = parser::Url::parse(snapshot.final_url);
    if (!url) return;
    EndingCertificate& host = hosts_[std::string(url->host())];
    const bool is_first = host.links == 0;
    host.expires = is_first ? expires : std::min(host.expires, expires);
    host.first_link = is_first ? number : std::min(host.first_link, number);
    ++host.links;
    teller.add_certificate(number, std::string(url->host()), expires);
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

// The groups with a link that the earlier run did not have.
std::vector<DuplicateGroup> newly_repeated(const std::vector<DuplicateGroup>& groups, const Changes& changes) {
  std::vector<DuplicateGroup> added;
  if (!changes.since) return added;
  const auto is_added = [&changes](const DuplicateEntry& entry) { return !changes.links[entry.link].before; };
  std::ranges::copy_if(groups, std::back_inserter(added),
                       [&](const DuplicateGroup& group) { return std::ranges::any_of(group.entries, is_added); });
  return added;
}

}  // namespace

std::uint32_t NameTable::number(std::string_view name) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  const auto added = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
  names_.push_back(added->first);
  return added->second;
}

Section section_of(const storage::Verdict& verdict, bool is_accepted) {
  if (is_accepted) return Section::accepted;
  switch (verdict.health) {
    case Health::alive: return Section::fine;
    case Health::redirected:
      return verdict.reason == storage::reason::moved_permanently ? Section::moved : Section::fine;
    case Health::dead: return Section::dead;
    case Health::insecure: return Section::insecure;
    case Health::suspect: return verdict.reason == storage::reason::content_changed ? Section::drift : Section::suspect;
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

bool is_told(const Report& report, std::size_t link) {
  return !report.only_changes || is_news(report.changes.links[link].change);
}

Report report_on(const storage::CheckedLinks& links, ReportSources sources) {
  Report report;
  report.links = &links;
  report.run = std::move(sources.run);
  report.only_changes = sources.only_changes && sources.since != nullptr;
  Summarizer summarizer;
  const CertificateWatch& watch = report.certificate_watch = sources.certificates;
  const FindAcceptance& find_acceptance = sources.find_acceptance;
  SectionSorter sorter;
  CertificateCalendar certificates(watch);
  DuplicateFinder duplicates(sources.duplicates, sources.rules);
  ChangeFinder changes(sources.since, links.size());
  Summarizer news;
  Teller teller(sources.since, links.size());
  links.for_each_first([&](std::size_t number, const CheckedLink& first, std::size_t occurrences) {
    const Result<parser::Url> url = parser::Url::parse(link_url(first));
    const std::string_view host = url.has_value() ? url->host() : std::string_view();
    const bool may_be_accepted = find_acceptance && can_be_accepted(first.entry.verdict.health);
    const bool is_compared = may_be_accepted || (url.has_value() && url->is_http());
    const bool is_whole = first.entry.occurrences.size() == occurrences;
    const std::optional<CheckedLink> whole = is_compared && !is_whole ? std::optional(links.at(number)) : std::nullopt;
    const CheckedLink& link = whole ? *whole : first;
    const Acceptance* const acceptance = may_be_accepted ? find_acceptance(link) : nullptr;
    const Finding finding = sorter.finding(number, link, host);
    summarizer.add(link, occurrences, finding.host, acceptance != nullptr);
    report.overview.metadata.add(link);
    teller.add(number, link, acceptance != nullptr);
    if (watch.days > 0) certificates.add(number, link, teller);
    if (acceptance != nullptr) report.accepted.emplace(number, *acceptance);
    const bool is_news = changes.add(number, link, acceptance != nullptr);
    if (is_news) news.add(link, occurrences, finding.host, false);
    if (is_news || !report.only_changes) {
      const Health health = link.entry.verdict.health;
      sorter.add(section_of(link.entry.verdict, acceptance != nullptr), finding, health);
      if (!link.record.snapshot.facts.empty()) sorter.add(Section::noted, finding, health);
    }
    duplicates.add(number, link, url.has_value() ? &*url : nullptr);
  });
  report.overview.summary = summarizer.summary();
  report.overview.sections = sorter.take();
  report.overview.certificates = certificates.take();
  report.duplicates = duplicates.take();
  report.repeated_mentions = duplicates.repeated_mentions();
  report.changes = changes.take();
  if (report.run.is_partial) report.changes.removed = 0;
  report.news = news.summary();
  report.all_repeated = report.duplicates.size();
  report.all_certificates = report.overview.certificates.size();
  const bool is_telling = report.changes.is_telling;
  std::vector<DuplicateGroup> added =
      is_telling ? teller.new_groups(report.duplicates) : newly_repeated(report.duplicates, report.changes);
  report.changes.repeated = added.size();
  if (is_telling) {
    std::vector<EndingCertificate> unknown = report.overview.certificates;
    std::erase_if(unknown, [&teller](const EndingCertificate& one) { return teller.knows_certificate(one.host); });
    report.changes.certificates = unknown.size();
    report.told = teller.take();
    if (report.only_changes) report.overview.certificates = std::move(unknown);
  }
  if (!report.only_changes) return report;
  report.duplicates = std::move(added);
  if (!is_telling) report.overview.certificates.clear();
  return report;
}

}  // namespace linkherd::reports
