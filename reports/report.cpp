#include "reports/report.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "parser/url/url.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

using storage::CheckedLink;
using storage::Health;
using storage::Verdict;

// Groups in the order of their first links.
class LinkGroups {
 public:
  void add(std::size_t number, std::string name, std::string words) {
    const auto [known, is_new] = index_.try_emplace(name, groups_.size());
    if (is_new) {
      groups_.push_back({std::move(name), std::move(words), true, {number}});
      first_.push_back(number);
      return;
    }
    LinkGroup& group = groups_[known->second];
    std::size_t& first = first_[known->second];
    group.links.push_back(number);
    group.alike = group.alike && words == group.words;
    if (number > first) return;
    first = number;
    group.words = std::move(words);
  }

  std::vector<LinkGroup> take() {
    for (LinkGroup& group : groups_) std::ranges::sort(group.links);
    std::ranges::sort(groups_, {}, [](const LinkGroup& group) { return group.links.front(); });
    return std::move(groups_);
  }

 private:
  std::vector<LinkGroup> groups_;
  std::vector<std::size_t> first_;  // the lowest link number of each group
  std::unordered_map<std::string, std::size_t> index_;
};

// Assigns each link to its section. Links are added once each, in any order.
class SectionSorter {
 public:
  void add_accepted(std::size_t number) { sections_.accepted.push_back(number); }
  void add_noted(std::size_t number) { sections_.noted.push_back(number); }

  void add(std::size_t number, const CheckedLink& link, std::string_view host) {
    const Verdict& verdict = link.entry.verdict;
    switch (verdict.health) {
      case Health::alive: sections_.fine.push_back(number); break;
      case Health::redirected:
        (verdict.reason == storage::reason::moved_permanently ? sections_.moved : sections_.fine).push_back(number);
        break;
      case Health::dead:
        if (is_broken_locally(verdict)) sections_.broken_locally.push_back(number);
        sections_.broken.push_back(number);
        break;
      case Health::suspect: sections_.suspect.push_back(number); break;
      case Health::insecure: sections_.broken.push_back(number); break;
      case Health::unreachable: sections_.unreachable.push_back(number); break;
      case Health::blocked: blocked_.add(number, std::string(host), explained_with_advice(link)); break;
      case Health::deferred: add_deferred(number, link, host); break;
      case Health::skipped: {
        std::string words = reason_in_words(verdict);
        skipped_.add(number, words, words);
        break;
      }
    }
  }

  Sections take() {
    for (LinkList* list : {&sections_.broken, &sections_.broken_locally, &sections_.accepted, &sections_.suspect,
                           &sections_.moved, &sections_.unreachable, &sections_.fine, &sections_.noted}) {
      std::ranges::sort(*list);
    }
    sections_.blocked = blocked_.take();
    sections_.deferred = deferred_.take();
    sections_.skipped = skipped_.take();
    return std::move(sections_);
  }

 private:
  // Groups by host if the host caused the deferral, otherwise by reason. The description is that of the first link,
  // although each link may have its own deadline.
  void add_deferred(std::size_t number, const CheckedLink& link, std::string_view host) {
    const Verdict& verdict = link.entry.verdict;
    if (verdict.reason == storage::reason::interrupted || verdict.reason == storage::reason::unconfirmed) {
      ++sections_.not_reached;
    }
    std::string name = reason_in_words(verdict);
    std::string words = name;
    if (verdict.reason == storage::reason::rate_limited || verdict.reason == storage::reason::host_unavailable) {
      name = fmt::format("{}: {}", host, name);
      words = verdict.evidence.empty() ? name : fmt::format("{}: {}", host, verdict.evidence);
    }
    deferred_.add(number, std::move(name), std::move(words));
  }

  Sections sections_;
  LinkGroups blocked_, deferred_, skipped_;
};

// By host: the certificate is the same for all its links.
class CertificateCalendar {
 public:
  explicit CertificateCalendar(const CertificateWatch& watch) : until_(watch.now + std::chrono::days(watch.days)) {}

  void add(const CheckedLink& link) {
    const storage::Snapshot& snapshot = link.record.snapshot;
    if (!storage::is_there(link.entry.verdict) || !snapshot.certificate || !snapshot.certificate->expires) return;
    const Timestamp expires = *snapshot.certificate->expires;
    if (expires > until_) return;
    const Result<parser::Url> url = parser::Url::parse(snapshot.final_url);
    if (!url) return;
    EndingCertificate& host = hosts_[std::string(url->host())];
    host.expires = host.links == 0 ? expires : std::min(host.expires, expires);
    ++host.links;
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

}  // namespace

Report report_on(const storage::CheckedLinks& links, DuplicateScope scope, const parser::TrackingRules* rules,
                 const FindAcceptance& find_acceptance, const CertificateWatch& watch) {
  Report report;
  report.links = &links;
  Summarizer summarizer;
  report.certificate_watch = watch;
  SectionSorter sorter;
  CertificateCalendar certificates(watch);
  DuplicateFinder duplicates(scope, rules);
  links.for_each([&](std::size_t number, const storage::CheckedLink& link) {
    const Result<parser::Url> url = parser::Url::parse(link_url(link));
    const std::string_view host = url.has_value() ? url->host() : std::string_view();
    const bool may_be_accepted = find_acceptance && can_be_accepted(link.entry.verdict.health);
    const Acceptance* const acceptance = may_be_accepted ? find_acceptance(link) : nullptr;
    summarizer.add(link, host, acceptance != nullptr);
    report.overview.metadata.add(link);
    if (watch.days > 0) certificates.add(link);
    if (acceptance != nullptr) {
      report.accepted.emplace(number, *acceptance);
      sorter.add_accepted(number);
    } else {
      sorter.add(number, link, host);
    }
    if (!link.record.snapshot.facts.empty()) sorter.add_noted(number);
    duplicates.add(number, link, url.has_value() ? &*url : nullptr);
  });
  report.overview.summary = summarizer.summary();
  report.overview.sections = sorter.take();
  report.overview.certificates = certificates.take();
  report.duplicates = duplicates.take();
  report.repeated_mentions = duplicates.repeated_mentions();
  return report;
}

}  // namespace linkherd::reports
