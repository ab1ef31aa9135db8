// Looks for the mark of a rule in what a link's server sent. Time is linear in a bounded part of the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crawler/classify/classify.h"
#include "crawler/classify/page_rules.h"

namespace linkherd::crawler {

class PageMarks {
 public:
  PageMarks(const FetchResult& result, const PageEvidence& page);

  // What shows that the rule fits: its mark, or what its pattern found. Nothing where it does not fit.
  std::optional<std::string> seen(const PageRule& rule) const;

 private:
  bool is_on(std::string_view site) const;
  bool has_header(std::string_view line) const;
  std::optional<std::string> seen_in_page(const PageRule& rule) const;

  const FetchResult& result_;
  const PageEvidence& page_;
  std::string_view title_;
  std::string title_and_text_;
  bool is_empty_ = false;  // what was answered is no page
  std::string_view lead_;
  bool is_about_its_title_ = false;
  bool has_text_field_ = false;
};

// `"Just a moment..." in its title`, for people.
std::string_view place_name(Where where);

}  // namespace linkherd::crawler
