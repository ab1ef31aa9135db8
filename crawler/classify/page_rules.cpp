#include "crawler/classify/page_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "crawler/classify/page_rule_matcher.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
namespace reason = storage::reason;

constexpr double confirmed_confidence = 0.88;  // confidence if two parts of a page agree, or if it has no other text

bool is_outside_page(Where where) { return where == Where::header || where == Where::redirect_url; }

// A missing page stays missing, even if the frame of the site around the message mentions its bot wall.
bool applies_to(const PageRule& rule, int status) {
  if (rule.kind == RuleKind::weak_wall) return status >= 200 && status <= 299;
  if (rule.health != Health::blocked) return rule.status != 0 || (status >= 200 && status <= 299);
  return is_outside_page(rule.where) || (status != 404 && status != 410);
}

std::string_view page_name(const PageRule& rule) {
  if (rule.reason == reason::captcha) return "A captcha";
  if (rule.reason == reason::login_required) return "A login page";
  if (rule.reason == reason::geo_blocked) return "A geographic block";
  if (rule.reason == reason::maintenance) return "A maintenance notice";
  if (rule.health == Health::blocked) return "A bot wall";
  if (rule.reason == reason::soft_404) return "A \"not found\" page";
  if (rule.reason == reason::parked) return "A parked domain";
  if (rule.reason == storage::http_reason(404)) return "A host without a site";
  return "Another page";
}

std::string evidence_of(const PageRule& rule, std::string_view seen, const FetchResult& result) {
  const std::string answer = answer_phrase(result);
  if (rule.where == Where::redirect_url && rule.reason == reason::login_required)
    return fmt::format("Redirected to a login page: {}.", answer);
  if (rule.where == Where::redirect_url && rule.reason == reason::soft_404)
    return fmt::format("Redirected to a \"not found\" page: {}.", answer);
  return fmt::format(R"({}{}: "{}" in {} ({}).)", page_name(rule),
                     rule.health == Health::blocked ? " instead of the page" : "", seen, where_name(rule.where),
                     answer);
}

bool is_in_title(Where where) {
  return where == Where::title || where == Where::title_start || where == Where::title_whole;
}
bool is_in_text(Where where) { return where == Where::text || where == Where::lead; }

// Returns true if title and text agree. A mark in only one of them may be the subject of the page.
bool title_and_text_agree(const std::vector<PageRule>& rules, const PageRule& first, const PageRuleMatcher& marks) {
  if (!is_in_title(first.where) && !is_in_text(first.where)) return false;
  return std::ranges::any_of(rules, [&](const PageRule& rule) {
    const bool is_other_place = is_in_title(first.where) ? is_in_text(rule.where) : is_in_title(rule.where);
    if (!is_other_place || rule.health != first.health || rule.reason != first.reason) return false;
    return is_in_title(first.where) ? marks.matches_below_title(rule) : marks.match(rule).has_value();
  });
}

// Returns true if the page has no other text.
bool is_whole_text(const PageRule& rule, const PageEvidence& page) {
  constexpr std::size_t one_sentence = 60;  // in code points
  return is_in_text(rule.where) && page.main_length <= one_sentence;
}

// Returns the verdict of the first matching rule of this kind.
std::optional<storage::Verdict> first_of(const std::vector<PageRule>& rules, RuleKind kind, const FetchResult& result,
                                         const PageEvidence& page) {
  if (result.response.status == 0) return std::nullopt;
  const PageRuleMatcher marks(result, page);
  for (const PageRule& rule : rules) {
    if (rule.kind != kind || !marks.may_match(rule) || !applies_to(rule, result.response.status)) continue;
    const std::optional<std::string> seen = marks.match(rule);
    if (!seen) continue;
    const bool is_sure =
        rule.health == Health::suspect && (title_and_text_agree(rules, rule, marks) || is_whole_text(rule, page));
    return storage::Verdict{.health = rule.health,
                            .reason = rule.reason,
                            .rule = rule.id,
                            .evidence = evidence_of(rule, *seen, result),
                            .confidence = is_sure ? std::max(rule.confidence, confirmed_confidence) : rule.confidence};
  }
  return std::nullopt;
}

}  // namespace

void RuleSet::append(const RuleSet& others) { rules_.insert(rules_.end(), others.rules_.begin(), others.rules_.end()); }

std::optional<storage::Verdict> RuleSet::wall(const FetchResult& result, const PageEvidence& page) const {
  return first_of(rules_, RuleKind::wall, result, page);
}

std::optional<storage::Verdict> RuleSet::other_page(const FetchResult& result, const PageEvidence& page) const {
  return first_of(rules_, RuleKind::other, result, page);
}

std::optional<storage::Verdict> RuleSet::weak_wall(const FetchResult& result, const PageEvidence& page) const {
  return first_of(rules_, RuleKind::weak_wall, result, page);
}

bool RuleSet::is_missing_page(const FetchResult& result, const PageEvidence& page) const {
  const PageEvidence title{.title = page.title};  // with status 404, the title counts however long the page is
  const PageRuleMatcher marks(result, page);
  const PageRuleMatcher title_marks(result, title);
  return std::ranges::any_of(rules_, [&](const PageRule& rule) {
    const bool is_about_missing = rule.reason == reason::soft_404 || rule.reason == reason::parked;
    if (!is_about_missing || is_outside_page(rule.where)) return false;
    return marks.match(rule).has_value() || (is_in_title(rule.where) && title_marks.match(rule).has_value());
  });
}

bool RuleSet::is_wall(const AttemptResult& response) const {
  return std::ranges::any_of(rules_, [&response](const PageRule& rule) {
    return rule.where == Where::header && rule.kind == RuleKind::wall && rule.site.empty() &&
           (rule.status == 0 || rule.status == response.status) && has_header(response.headers, rule.mark);
  });
}

}  // namespace linkherd::crawler
