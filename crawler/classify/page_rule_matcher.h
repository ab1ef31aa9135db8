// Matches page rules against an answer. Time is linear in a bounded part of the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/classify/classify.h"
#include "crawler/classify/page_rules.h"

namespace linkherd::crawler {

class PageRuleMatcher {
 public:
  PageRuleMatcher(const FetchResult& result, const PageEvidence& page);

  // Returns the evidence that the rule matches: its literal, or the match of its pattern. Returns nullopt if it does
  // not match.
  std::optional<std::string> seen(const PageRule& rule) const;
  // The same for a rule of the text, where the title says it already: a heading that repeats the title is passed over.
  bool is_seen_below_title(const PageRule& rule) const;

 private:
  bool is_on(std::string_view site) const;
  bool may_match_page(const PageRule& rule) const;
  std::optional<std::string> match_in_page(const PageRule& rule) const;

  const FetchResult& result_;
  const PageEvidence& page_;
  std::string_view title_;
  std::string title_and_text_;
  bool is_empty_ = false;  // the answer has no page
  std::string_view lead_;
  bool is_about_its_title_ = false;
  bool has_text_field_ = false;
};

// Whether a header contains what `line`, "name: text", says.
bool has_header(const std::vector<Header>& headers, std::string_view line);

// For evidence: `"Just a moment..." in its title`.
std::string_view where_name(Where where);

}  // namespace linkherd::crawler
