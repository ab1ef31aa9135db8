#include "crawler/plan.h"

#include <unordered_map>
#include <utility>

#include "storage/link_record.h"

namespace linkherd::crawler {
namespace {

using parser::LinkNote;
using parser::LinkOccurrence;
using parser::Url;
using storage::Health;
using storage::Verdict;

Verdict not_fetched(Health health, std::string_view reason, std::string_view rule, std::string evidence) {
  Verdict verdict;
  verdict.health = health;
  verdict.reason = reason;
  verdict.rule = rule;
  verdict.evidence = std::move(evidence);
  return verdict;
}

// The verdict on what can be judged without a request; nothing for what must be fetched.
std::optional<Verdict> judge_offline(const LinkOccurrence& occurrence, const std::optional<Url>& url) {
  if (occurrence.has(LinkNote::placeholder)) {
    return not_fetched(Health::skipped, storage::reason::placeholder, "placeholder", "an illustration, not a link");
  }
  if (url && url->is_http()) return std::nullopt;
  if (url) {
    return not_fetched(Health::skipped, storage::reason::unsupported_scheme, "scheme",
                       "only http and https links are fetched, not " + std::string(url->scheme()));
  }
  if (occurrence.has(LinkNote::relative)) {
    return not_fetched(Health::skipped, storage::reason::relative_link, "relative",
                       "points into this site or folder, and there is no base URL");
  }
  const auto parsed = Url::parse(occurrence.url);
  return not_fetched(Health::dead, storage::reason::invalid_url, "url",
                     parsed.has_error() ? parsed.error().message : "not a URL that a browser could open");
}

std::optional<Url> url_of(const LinkOccurrence& occurrence) {
  if (occurrence.href.empty()) return std::nullopt;
  const auto parsed = Url::parse(occurrence.href);
  if (parsed.has_error()) return std::nullopt;
  if (!parsed->has_fragment()) return *parsed;
  const auto without_fragment = Url::parse(parsed->href_without_fragment());
  if (without_fragment.has_error()) return std::nullopt;
  return *without_fragment;
}

PlannedLink plan_link(const LinkOccurrence& occurrence) {
  PlannedLink link;
  link.url = url_of(occurrence);
  link.id = link.url ? storage::LinkId::of(*link.url) : storage::LinkId::of_text(occurrence.url);
  link.verdict = judge_offline(occurrence, link.url);
  return link;
}

}  // namespace

Plan make_plan(const std::vector<Seed>& seeds, const parser::ExtractOptions& options) {
  Plan plan;
  std::unordered_map<storage::LinkId, std::size_t> index;
  for (const Seed& seed : seeds) {
    for (LinkOccurrence& occurrence : parser::extract_links({seed.file, seed.text, seed.format}, options)) {
      PlannedLink link = plan_link(occurrence);
      const auto [found, is_new] = index.try_emplace(link.id, plan.links.size());
      if (is_new) plan.links.push_back(std::move(link));
      plan.links[found->second].occurrences.push_back(std::move(occurrence));
      ++plan.occurrences;
    }
  }
  return plan;
}

}  // namespace linkherd::crawler
