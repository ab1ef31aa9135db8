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
  // Returns false if status, redirects or a missing page exclude the rule. Cheap: most rules end here.
  bool may_match(const PageRule& rule) const {
    if (rule.status != 0 && rule.status != status_) return false;
    if (rule.where == Where::redirect_url) return was_moved_;
    return rule.where == Where::header || !is_empty_;
  }
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
  int status_ = 0;
  bool was_moved_ = false;
  bool is_empty_ = false;  // the response has no page: no literal and no pattern matches an empty text
  std::string_view lead_;
  bool is_about_its_title_ = false;
  bool has_text_field_ = false;
};

// Whether a header contains what `line`, "name: text", says.
bool has_header(const std::vector<Header>& headers, std::string_view line);

// For evidence: `"Just a moment..." in its title`.
std::string_view where_name(Where where);

}  // namespace linkherd::crawler
