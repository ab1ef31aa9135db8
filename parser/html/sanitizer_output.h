// Writes the attributes and texts that the guard keeps: into the side tables of SanitizedHtml, or into the HTML for
// gumbo.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "parser/ascii.h"
#include "parser/html/html_tokenizer.h"
#include "parser/html/sanitizer.h"

namespace linkherd::parser {

// The attributes that extractors and site rules read. Pages have about five times as many, which gumbo would copy.
constexpr std::array<std::string_view, 24> kept_attributes{"class",
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
                                                           "created-timestamp",
                                                           "data-preloaded",
                                                           "type"};

// Returns the index of the name in kept_attributes, or their number if it is not one of them.
constexpr std::size_t kept_attribute(std::string_view name) {
  const char first = name.empty() ? '\0' : ascii_lower(name.front());  // decides most cases
  const auto* found = std::ranges::find_if(kept_attributes, [&](std::string_view kept) {
    return kept.front() == first && equals_ignoring_case(name, kept);
  });
  return static_cast<std::size_t>(found - kept_attributes.begin());
}

// Namespace declarations of XMP packets and of XHTML.
constexpr bool is_kept_namespace(std::string_view name) {
  return starts_ignoring_case(name, "dc:") || starts_ignoring_case(name, "xmp:") || starts_ignoring_case(name, "xml:");
}

// Writes the kept attributes of the tag, the first of each name, to the side table or after the tag's name in `html`.
// `at` is the offset of the tag in `html`; `written` counts the attributes of the whole page. Returns false if that
// exceeds the limit and attributes were left out.
bool write_kept_attributes(const HtmlToken& tag, std::size_t at, SanitizedHtml& out, std::size_t& written);

// Writes the text between tags: white space is collapsed, or removed where browsers do not render it. Long texts go to
// the side table.
class SanitizedText {
 public:
  SanitizedText(SanitizedHtml& out, const SanitizerLimits& limits) : out_(out), limits_(limits) {}

  // A text that exceeds the limit is cut. Returns false if no visible text was written.
  bool write(std::string_view text);
  // Writes the content of a raw text element.
  bool write_raw(std::string_view text);
  // Writes a "<" that does not begin a tag. It goes to the side table: the text after it could make it a tag for gumbo.
  void write_less_than();
  // Writes text to `html`, whatever its length.
  void write_markup(std::string_view text);
  // Marks the boundary of a block element.
  void note_block_boundary() { at_boundary_ = true; }
  std::size_t size() const { return out_.html.size() + out_.values.size(); }
  bool is_full() const { return full_; }  // a text did not fit

 private:
  std::string_view bounded(std::string_view text);
  void detach(std::string_view text, bool space);
  void append(std::string& out, std::string_view text);

  SanitizedHtml& out_;
  const SanitizerLimits& limits_;
  std::string decoded_;           // the last text, kept for its memory
  std::size_t end_ = 0;           // offset in `html` after the last text
  bool ends_with_space_ = false;  // the last text ends with a space
  bool at_boundary_ = true;       // at the boundary of a block, where white space is not rendered
  bool full_ = false;
};

}  // namespace linkherd::parser
