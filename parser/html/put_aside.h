// What the guard lets through of the attributes and texts of a page: put aside with its place, or written for gumbo.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "parser/ascii.h"
#include "parser/html/guard.h"
#include "parser/html/html_tokenizer.h"

namespace linkherd::parser {

// The attributes that extractors and site rules ask for. Pages carry five times as many, which gumbo would copy.
constexpr std::array<std::string_view, 22> kept_attributes{"class",
                                                           "href",
                                                           "id",
                                                           "content",
                                                           "property",
                                                           "name",
                                                           "rel",
                                                           "title",
                                                           "itemprop",
                                                           "itemtype",
                                                           "datetime",
                                                           "lang",
                                                           "pubdate",
                                                           "author",
                                                           "http-equiv",
                                                           "data-testid",
                                                           "data-qa",
                                                           "post-title",
                                                           "data-target",
                                                           "data-props",
                                                           "data-date-updated",
                                                           "created-timestamp"};

// The place of the name in kept_attributes; their number where it is none of them.
constexpr std::size_t kept_attribute(std::string_view name) {
  const char first = name.empty() ? '\0' : ascii_lower(name.front());  // which decides most often
  const auto* found = std::ranges::find_if(kept_attributes, [&](std::string_view kept) {
    return kept.front() == first && equals_ignoring_case(name, kept);
  });
  return static_cast<std::size_t>(found - kept_attributes.begin());
}

// Those of XMP packets and of XHTML.
constexpr bool is_kept_namespace(std::string_view name) {
  return starts_ignoring_case(name, "dc:") || starts_ignoring_case(name, "xmp:") || starts_ignoring_case(name, "xml:");
}

// Keeps those of the tag that are kept, the first of each name, aside or behind the name of the tag, which begins at
// `at` of the text for gumbo. `written` counts those of the whole page; false where that is more than memory allows,
// and the rest was left out.
bool write_kept_attributes(const HtmlToken& tag, std::size_t at, GuardedHtml& out, std::size_t& written);

// The text between the tags of a page: white space as one space, and none where browsers show none. Long texts are put
// aside.
class GuardedText {
 public:
  GuardedText(GuardedHtml& out, const GuardLimits& limits) : out_(out), limits_(limits) {}

  // Text that does not fit is cut: its beginning still says something. False where nothing of it is seen.
  bool write(std::string_view text);
  // What an element holds that has no tags in it.
  bool write_raw(std::string_view text);
  // A "<" that begins no tag. gumbo never sees it: what is written behind it could make it one.
  void write_less();
  // For gumbo, whatever its length.
  void write_markup(std::string_view text);
  // A block begins or ends here.
  void note_border() { at_border_ = true; }
  std::size_t size() const { return out_.html.size() + out_.values.size(); }
  bool is_full() const { return full_; }  // a text did not fit

 private:
  std::string_view bounded(std::string_view text);
  void put_aside(std::string_view text, bool space);
  void append(std::string& out, std::string_view text);

  GuardedHtml& out_;
  const GuardLimits& limits_;
  std::size_t end_ = 0;      // of `html` behind the last text
  bool ends_space_ = false;  // so does the last text
  bool at_border_ = true;    // of a block, where white space is not seen
  bool full_ = false;
};

}  // namespace linkherd::parser
