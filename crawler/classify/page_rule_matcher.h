// Matches page rules against an answer. Time is linear in a bounded part of the page.
//
// A rule names the part of the answer that must contain its mark: a header, the final URL, the title, the HTML, or the
// visible text. The status, the site and the length of the visible text may restrict it further. For example,
// "wall:cloudflare" requires `_cf_chl_opt` in the HTML and at most 400 visible characters. So a long page with an
// embedded challenge is not a wall.
//
// General text rules do not apply to articles. Text rules do not apply if the text opens with the title, because its
// sentences are then about that subject.
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
  std::optional<std::string> match(const PageRule& rule) const;
  // Returns false if status, redirects or a missing page exclude the rule. Cheap: most rules end here.
  bool may_match(const PageRule& rule) const {
    if (rule.status != 0 && rule.status != status_) return false;
    if (rule.where == Where::redirect_url) return was_moved_;
    return rule.where == Where::header || !is_empty_;
  }
  // Like match(), for a text rule whose statement the title already makes: a first line that repeats the title is
  // skipped.
  bool matches_below_title(const PageRule& rule) const;

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

// Returns true if a header matches `line`, such as "server: cloudflare". Its name must be equal, and its value must
// contain the text.
bool has_header(const std::vector<storage::ResponseHeader>& headers, std::string_view line);

// Returns a phrase for evidence, such as "its title" in `"Just a moment..." in its title`.
std::string_view where_name(Where where);

}  // namespace linkherd::crawler
