// Rules that know a page by a mark, as data: walls, login pages, soft 404s, parked domains. rules.toml has those that
// are built in, and says what their fields mean; users add their own. A rule names only what is worse than alive.
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

// Names are printed, and written by users: DO NOT CHANGE them.
enum class Where : std::uint8_t {
  header,        // "name: text", contained in the value
  redirect_url,  // the URL that the chain led to shows it, and the one that was asked for does not
  title,
  title_start,
  title_whole,
  html,
  text,  // the main text
  page,  // title, line break, main text
  lead,  // what the main text begins with
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

// What a rule finds. A wall hides everything behind it, circles of redirects included; a page for signing in does not.
// A weak wall has less confidence than sure_of_wall.
enum class RuleKind : std::uint8_t { wall, weak_wall, other };

struct PageRule {
  std::string id;    // "wall:cloudflare"; several rules may share one
  std::string site;  // only on this host and below it; empty: anywhere
  Where where = Where::html;
  std::string mark;                                   // the text, or the pattern
  std::shared_ptr<const LazyPattern> pattern;         // null: `mark` is a text
  std::size_t max_visible = 0;                        // characters; 0: any number
  int status = 0;                                     // 0: any
  storage::Health health = storage::Health::blocked;  // or suspect, or dead
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

  // The [[rule]] tables of a TOML text, in its order. An error says which table and what is wrong with it.
  static Result<RuleSet> read(std::string_view toml);

  // Another set's rules, to be asked after these: no rule of a user keeps a built-in one from deciding.
  void append(const RuleSet& others);

  const std::vector<PageRule>& rules() const { return rules_; }
  // The first rule of a refusal that fits, but for login pages; the first of all others.
  std::optional<storage::Verdict> wall(const FetchResult& result, const PageEvidence& page) const;
  std::optional<storage::Verdict> other_page(const FetchResult& result, const PageEvidence& page) const;
  // The first rule of a refusal with less confidence than sure_of_wall: it counts only where the host answers a path
  // that cannot exist with the same page.
  std::optional<storage::Verdict> weak_wall(const FetchResult& result, const PageEvidence& page) const;
  // Whether the page says that it is missing, or that its site is parked, whatever its status.
  bool says_missing(const FetchResult& result, const PageEvidence& page) const;
  // Whether the headers alone name a wall, whatever the host.
  bool is_wall(const HopAnswer& answer) const;

 private:
  std::vector<PageRule> rules_;
};

}  // namespace linkherd::crawler
