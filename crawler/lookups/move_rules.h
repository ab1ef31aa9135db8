// Rules for addresses of whole hosts that have moved, such as pypi.python.org. move_rules.toml contains the built-in
// ones and documents their keys; users add their own. A rule only gives a candidate, which must be proven like any
// other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/classify/lazy_pattern.h"
#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct MoveRule {
  std::string name;
  std::string pattern;  // of the old URL
  std::shared_ptr<const LazyPattern> expression;
  std::string url;  // of the new page; {1} to {9} stand for groups of the pattern
  bool built_in = true;
};

class MoveRuleSet {
 public:
  static const MoveRuleSet& built_in();

  // Reads the [[move_rule]] tables of a TOML text, in their order. An error names the table and the problem.
  static Result<MoveRuleSet> read(std::string_view toml);

  // Adds the rules of another set, such as the user's. They come before the others.
  void append(const MoveRuleSet& others);

  const std::vector<MoveRule>& rules() const { return rules_; }

  // Returns the new address that the first matching rule gives, or nullopt if no rule matches.
  std::optional<parser::Url> apply(const parser::Url& dead) const;

 private:
  std::vector<MoveRule> rules_;
};

}  // namespace linkherd::crawler
