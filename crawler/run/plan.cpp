#include "crawler/run/plan.h"

#include <functional>
#include <optional>
#include <utility>

#include "parser/url/mail_address.h"
#include "storage/link_record.h"

namespace linkherd::crawler {
namespace {

namespace reason = storage::reason;
using parser::LinkNote;
using parser::LinkOccurrence;
using parser::Url;
using storage::Health;
using storage::Verdict;
using storage::without_request;

// One list while its links are planned.
class ListPlan {
 public:
  ListPlan(const Seed& list, const PlanOptions& options) : list_(list), options_(options), extract_(options.extract) {
    if (list.base_url) {
      extract_.base_url = list.base_url;
    } else if (options.local != nullptr && !extract_.base_url) {
      extract_.base_url = LocalLinks::base_of(list);
      is_local_ = extract_.base_url.has_value();
      extract_.include_local = is_local_ && options.local->checks_anchors();
    }
  }

  void for_each_occurrence(const std::function<void(LinkOccurrence&)>& take) const {
    parser::for_each_link({list_.file, list_.text, list_.format}, extract_, take);
  }

  // May change the occurrence: where it leads, as the user rewrites it.
  PlannedLink plan(LinkOccurrence& occurrence) const {
    PlannedLink link;
    remap(occurrence);
    std::optional<Url> target = url_of(occurrence.href);
    const bool is_file = target && target->scheme() == "file";
    link.verdict = left_out(occurrence);
    if (is_file && !link.verdict && !occurrence.has(LinkNote::placeholder) && options_.local != nullptr) {
      LocalVerdict local = options_.local->judge(list_, *target, occurrence.url);
      link.verdict = std::move(local.verdict);
      link.id = storage::LinkId::of_text("file:" + local.name);
    } else {
      if (!link.verdict) link.verdict = judge(occurrence, target);
      if (target && target->has_fragment()) target = url_of(target->href_without_fragment());
      link.id = target ? storage::LinkId::of(*target) : storage::LinkId::of_text(occurrence.url);
      if (!is_file) link.url = std::move(target);
    }
    if (is_file && is_local_) forget_folder(occurrence);
    return link;
  }

 private:
  static std::optional<Url> url_of(std::string_view href) {
    if (href.empty()) return std::nullopt;
    const auto parsed = Url::parse(href);
    return parsed ? std::optional<Url>(*parsed) : std::nullopt;
  }

  void remap(LinkOccurrence& occurrence) const {
    if (options_.filter == nullptr || occurrence.href.empty()) return;
    const std::optional<std::string> text = options_.filter->remapped(occurrence.href);
    if (!text) return;
    const auto url = Url::parse(*text);
    occurrence.href = url ? std::string(url->href()) : std::string();
    if (!url) occurrence.notes.push_back(LinkNote::invalid_url);
    std::erase(occurrence.notes, LinkNote::placeholder);  // whoever rewrites it means something by it
  }

  // Left out because somebody wants it so: the list itself, or the user.
  std::optional<Verdict> left_out(const LinkOccurrence& occurrence) const {
    if (!occurrence.ignored_by.empty()) {
      return without_request(Health::skipped, reason::ignored, "list", "the list says " + occurrence.ignored_by);
    }
    if (options_.filter == nullptr) return std::nullopt;
    auto exclusion = options_.filter->excludes(occurrence.url, occurrence.href);
    if (!exclusion) return std::nullopt;
    return without_request(Health::skipped, reason::excluded, exclusion->rule, std::move(exclusion->evidence));
  }

  // What can be said without a request; nothing for what must be fetched.
  std::optional<Verdict> judge(const LinkOccurrence& occurrence, const std::optional<Url>& url) const {
    if (occurrence.has(LinkNote::placeholder)) {
      return without_request(Health::skipped, reason::placeholder, "placeholder", "an illustration, not a link");
    }
    if (url && url->is_http()) {
      if (!options_.offline) return std::nullopt;
      return without_request(Health::skipped, reason::offline, "offline", "--offline looks at files and anchors alone");
    }
    if (url && url->scheme() == "mailto") return judge_mail(*url);
    if (url) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "only http and https links are fetched, not " + std::string(url->scheme()));
    }
    if (occurrence.has(LinkNote::relative)) {
      return without_request(Health::skipped, reason::relative_link, "relative",
                             "points into this site or folder, and there is no base URL");
    }
    const auto parsed = Url::parse(occurrence.url);
    return without_request(Health::dead, reason::invalid_url, "url",
                           parsed.has_error() ? parsed.error().message : "not a URL that a browser could open");
  }

  Verdict judge_mail(const Url& url) const {
    if (!options_.include_mail) {
      return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                             "mail addresses are looked at only with --include-mail");
    }
    if (auto problem = parser::mailto_problem(url)) {
      return without_request(Health::dead, reason::invalid_mail_address, "mail", std::move(*problem));
    }
    return without_request(Health::alive, reason::ok, "mail", "a mail address; whether anybody reads it was not asked");
  }

  // Where a list lies on this machine is nobody's business: such an occurrence stays relative in all that is stored and
  // reported.
  static void forget_folder(LinkOccurrence& occurrence) {
    if (occurrence.url.starts_with("file:") || occurrence.has(LinkNote::relative)) return;
    occurrence.href.clear();
    occurrence.notes.push_back(LinkNote::relative);
  }

  const Seed& list_;
  const PlanOptions& options_;
  parser::ExtractOptions extract_;
  bool is_local_ = false;
};

bool is_left_out(const Verdict* verdict) {
  return verdict != nullptr && (verdict->reason == reason::ignored || verdict->reason == reason::excluded);
}

}  // namespace

Plan make_plan(const std::vector<Seed>& seeds, const PlanOptions& options) {
  Plan plan;
  for (const Seed& seed : seeds) {
    const ListPlan list(seed, options);
    list.for_each_occurrence([&](LinkOccurrence& occurrence) {
      const PlannedLink link = list.plan(occurrence);
      std::optional<std::size_t> known = plan.links.find(link.id);
      if (!known) {
        known = plan.links.push_back(link);
      } else if (is_left_out(plan.links.verdict(*known)) && !is_left_out(link.verdict ? &*link.verdict : nullptr)) {
        plan.links.replace(*known, link.url, link.verdict);  // one place that wants it is enough
      }
      plan.links.add_occurrence(*known, occurrence);
      ++plan.occurrences;
    });
  }
  return plan;
}

}  // namespace linkherd::crawler
