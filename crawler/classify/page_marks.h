// Looks for the marks by which tables of sites know a page: a word in its title, its HTML, its headers or its URL. Time
// is linear in a bounded part of the page.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "crawler/classify/classify.h"

namespace linkherd::crawler {

enum class Where : std::uint8_t {
  title,         // contains the text
  title_start,   // begins with it
  title_whole,   // is it
  html,          // contains it
  header,        // "name: text", contained in the value
  redirect_url,  // the URL that the chain led to contains it, and the one that was asked for does not
};

struct Mark {
  Where where = Where::html;
  std::string_view text;
  std::string_view host = {};  // only on this host and below it; empty: anywhere
  // Only where no more code points are visible: articles quote these texts, walls are short. 0: whatever the length.
  std::size_t max_visible = 800;
  int status = 0;  // only behind this status; 0: any
};

class PageMarks {
 public:
  PageMarks(const FetchResult& result, const PageEvidence& page) : result_(result), page_(page) {}
  bool shows(const Mark& mark) const;

 private:
  bool is_on(std::string_view host) const;
  bool has_header(std::string_view line) const;
  bool was_sent_to(std::string_view part_of_url) const;

  const FetchResult& result_;
  const PageEvidence& page_;
};

// `"Just a moment..." in its title`, for people.
std::string_view place_name(Where where);

}  // namespace linkherd::crawler
