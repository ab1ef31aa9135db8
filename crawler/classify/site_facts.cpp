#include "crawler/classify/site_facts.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <re2/re2.h>

#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

using re2::RE2;
using re2::StringPiece;
using storage::Fact;

constexpr std::size_t max_html_bytes = std::size_t{1} << 20;  // bytes that are searched

// A statement on the site's own page. The capture of the pattern replaces {} in `text`.
struct PageFact {
  std::string_view host;
  std::string_view kind;
  RE2 pattern;
  std::string text;
};

// A redirect between two URLs in which the pattern captures different texts.
struct RedirectFact {
  std::string_view kind;
  RE2 pattern;
  std::string text;
};

const std::array<PageFact, 2>& page_facts() {
  static const std::array<PageFact, 2> facts{
      {{"github.com", "archived",
        R"(This repository (?:was|has been) archived by the owner (?:on|before) ([A-Z][a-z]{2,8} \d{1,2}, \d{4})\b)",
        "the repository was archived by its owner on {}: it is read-only"},
       // The author's comment, or the text in place of the abstract.
       {"arxiv.org", "withdrawn",
        R"((?i)(?:class="[^"]*\bcomments\b[^"]*">|>Abstract:</span>)\s*)"
        R"((?:This|The) (paper|submission|article|manuscript|work|preprint) (?:has been|was|is) withdrawn\b)",
        "the {} was withdrawn from arXiv"}}};
  return facts;
}

const std::array<RedirectFact, 2>& redirect_facts() {
  static const std::array<RedirectFact, 2> facts{
      {{"renamed", R"((?i)^https?://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?(?:[/?#]|$))",
        "the repository {} is now {}"},
       {"branch_renamed", R"((?i)^https?://github\.com/[\w.-]+/[\w.-]+/(?:blob|tree|blame|commits)/([^/?#]+))",
        "the branch {} is now {}"}}};
  return facts;
}

bool is_repository(std::string_view path) { return !is_reserved_on_github(path.substr(0, path.find('/'))); }

void add_redirect_facts(const std::string& from, const std::string& to, std::vector<Fact>& facts) {
  for (const RedirectFact& fact : redirect_facts()) {
    std::string before, after;
    if (!RE2::PartialMatch(from, fact.pattern, &before) || !RE2::PartialMatch(to, fact.pattern, &after)) continue;
    if (parser::equals_ignoring_case(before, parser::to_ascii_lower(after)) || !is_repository(before) ||
        !is_repository(after))
      continue;
    facts.push_back({std::string(fact.kind), fmt::format(fmt::runtime(fact.text), before, after)});
  }
}

}  // namespace

bool is_reserved_on_github(std::string_view name) {
  static constexpr std::array<std::string_view, 47> names{
      "about",    "account",       "advisories",       "apps",      "blog",       "codespaces",    "collections",
      "contact",  "copilot",       "customer-stories", "dashboard", "enterprise", "events",        "explore",
      "features", "gist",          "git-guides",       "home",      "issues",     "join",          "login",
      "logout",   "marketplace",   "mobile",           "models",    "new",        "notifications", "open-source",
      "orgs",     "organizations", "partners",         "pricing",   "pulls",      "readme",        "resources",
      "search",   "security",      "sessions",         "settings",  "site",       "solutions",     "sponsors",
      "stars",    "team",          "topics",           "trending",  "users"};
  return std::ranges::any_of(names, [name](std::string_view one) { return parser::equals_ignoring_case(name, one); });
}

std::optional<OtherBranch> other_branch(const parser::Url& link) {
  static const RE2 pattern(
      R"((https?://(?:(?:www\.)?github\.com/[\w.-]+/[\w.-]+/(?:blob|tree|blame|commits|raw)|)"
      R"(raw\.githubusercontent\.com/[\w.-]+/[\w.-]+)(?:/refs/heads)?/)(master|main)(/[^?#]*)?([?#].*)?)");
  const std::string href(link.href());
  std::string start, branch, path, rest;
  if (!RE2::FullMatch(href, pattern, &start, &branch, &path, &rest)) return std::nullopt;
  const std::string other = branch == "master" ? "main" : "master";
  const auto url = parser::Url::parse(fmt::format("{}{}{}{}", start, other, path, rest));
  if (url.has_error()) return std::nullopt;
  const std::string text = fmt::format("the file exists on the branch {}: {}", other, url->href());
  return OtherBranch{*url, fmt::format("/{}{}", other, path), {"branch_renamed", text}};
}

std::vector<Fact> site_facts(const FetchResult& result, std::string_view html) {
  std::vector<Fact> facts;
  if (!result.redirects.empty()) {
    add_redirect_facts(std::string(result.link_url.href()), std::string(result.final_url.href()), facts);
  }
  const StringPiece text(html.data(), std::min(html.size(), max_html_bytes));
  for (const PageFact& fact : page_facts()) {
    std::string captured;
    if (result.final_url.host() != fact.host || !RE2::PartialMatch(text, fact.pattern, &captured)) continue;
    facts.push_back({std::string(fact.kind), fmt::format(fmt::runtime(fact.text), captured)});
  }
  return facts;
}

}  // namespace linkherd::crawler
