// Rules that recognise pages by a mark: bot walls, login pages, soft 404s and parked domains. The rules are data.
// rules.toml contains the built-in ones and documents their fields; users add their own. Rules only describe states
// that are worse than alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/classify/classify.h"
#include "crawler/classify/lazy_pattern.h"
#include "parser/enum_names.h"
#include "parser/result.h"

namespace linkherd::crawler {

// The names are printed, and users write them: DO NOT CHANGE them.
enum class Where : std::uint8_t {
  header,        // "name: text"; the value contains the text
  redirect_url,  // the final URL matches, and the requested URL does not
  title,
  title_start,
  title_whole,
  html,
  text,  // the main text
  page,  // title, line break, main text
  lead,  // the beginning of the main text
};
inline constexpr std::array<EnumName<Where>, 9> where_names{{{Where::header, "header"},
                                                             {Where::redirect_url, "redirect_url"},
                                                             {Where::title, "title"},
                                                             {Where::title_start, "title_start"},
                                                             {Where::title_whole, "title_whole"},
                                                             {Where::html, "html"},
                                                             {Where::text, "text"},
                                                             {Where::page, "page"},
                                                             {Where::lead, "lead"}}};

// The kind of page that a rule recognizes. A wall hides everything else in the answer, even redirect loops. A login
// page does not, so it counts as other. A weak wall has less confidence than sure_of_wall.
enum class RuleKind : std::uint8_t { wall, weak_wall, other };

struct PageRule {
  std::string id;    // such as "wall:cloudflare"; several rules may share one
  std::string site;  // only on this host and its subdomains; empty: anywhere
  Where where = Where::html;
  std::string mark;                                   // the literal or the pattern
  std::shared_ptr<const LazyPattern> pattern;         // null: `mark` is a literal
  std::size_t max_visible = 0;                        // in characters; 0: no limit
  int status = 0;                                     // 0: any
  storage::Health health = storage::Health::blocked;  // blocked, suspect or dead
  std::string reason;
  double confidence = 1.0;
  RuleKind kind = RuleKind::other;
  std::string example;  // a text that the pattern matches; empty: none is given
  bool built_in = true;
};

inline constexpr double sure_of_wall = 0.7;

class RuleSet {
 public:
  RuleSet() = default;
  static const RuleSet& built_in();

  // Reads the [[rule]] tables of a TOML text, in their order. An error names the table and the problem.
  static Result<RuleSet> read(std::string_view toml);

  // Appends the rules of another set. They are tried after these, so that no rule of a user overrides a built-in one.
  void append(const RuleSet& others);

  const std::vector<PageRule>& rules() const { return rules_; }
  // Both return the verdict of the first match, or nullopt. wall() tries `blocked` rules with a confidence of at least
  // sure_of_wall, except login pages. other_page() tries these login pages, and all rules for other healths.
  std::optional<storage::Verdict> wall(const FetchResult& result, const PageEvidence& page) const;
  std::optional<storage::Verdict> other_page(const FetchResult& result, const PageEvidence& page) const;
  // Returns the verdict of the first matching `blocked` rule with a confidence below sure_of_wall. It counts only if
  // the host's soft-404 probe returned the same page.
  std::optional<storage::Verdict> weak_wall(const FetchResult& result, const PageEvidence& page) const;
  // Returns true if the page says that it is missing or its site is parked, whatever its status.
  bool is_missing_page(const FetchResult& result, const PageEvidence& page) const;
  // Returns true if the headers alone identify a wall, on any host.
  bool is_wall(const AttemptResult& response) const;

 private:
  std::vector<PageRule> rules_;
};

}  // namespace linkherd::crawler
