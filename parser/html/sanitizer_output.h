// Writes the attributes and texts that the sanitizer keeps, either into the side tables of SanitizedHtml or into the
// HTML for gumbo.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "parser/ascii.h"
#include "parser/html/html_tokenizer.h"
#include "parser/html/sanitizer.h"

namespace linkherd::parser {

// The attributes that extractors and site rules read. Pages have about five times as many, which gumbo would copy. The
// order is that of DetachedAttribute::name.
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

// Returns the index of the name in kept_attributes, or kept_attributes.size() if it is not kept.
constexpr std::size_t kept_attribute(std::string_view name) {
  const char first = name.empty() ? '\0' : ascii_lower(name.front());  // the first letter decides most cases
  const auto* found = std::ranges::find_if(kept_attributes, [&](std::string_view kept) {
    return kept.front() == first && equals_ignoring_case(name, kept);
  });
  return static_cast<std::size_t>(found - kept_attributes.begin());
}

// Returns true for attributes of XMP packets and XHTML that have a namespace prefix: "dc:title", "xml:lang".
constexpr bool is_kept_namespace(std::string_view name) {
  return starts_ignoring_case(name, "dc:") || starts_ignoring_case(name, "xmp:") || starts_ignoring_case(name, "xml:");
}

// Writes the kept attributes of the tag, the first of each name, to the side table or after the tag's name in `html`.
// `at` is the offset of the tag in `html`. `written` counts the attributes of the whole page. Returns false if the
// count exceeds the limit; the remaining attributes are then left out.
bool write_kept_attributes(const HtmlToken& tag, std::size_t at, SanitizedHtml& out, std::size_t& written);

// Writes the text between tags. White space is collapsed, or removed if browsers do not render it. Texts of three bytes
// and more go to the side table.
class SanitizedText {
 public:
  SanitizedText(SanitizedHtml& out, const SanitizerLimits& limits) : out_(out), limits_(limits) {}

  // Cuts a text that exceeds the limit. Returns false if nothing visible was written.
  bool write(std::string_view text);
  // Writes the content of a raw text element.
  bool write_raw(std::string_view text);
  // Writes a "<" that does not begin a tag. It goes to the side table, because gumbo could read it and the following
  // text as a tag.
  void write_less_than();
  // Writes text to `html`, whatever its length.
  void write_markup(std::string_view text);
  // Marks the boundary of a block element.
  void note_block_boundary() { at_boundary_ = true; }
  std::size_t size() const { return out_.html.size() + out_.detached_values.size(); }
  bool is_full() const { return full_; }  // true if a text did not fit into the limits

 private:
  std::string_view bounded(std::string_view text);
  void detach(std::string_view text, bool space);
  void append(std::string& out, std::string_view text);

  SanitizedHtml& out_;
  const SanitizerLimits& limits_;
  std::string decoded_;           // the last text; a member so that its memory is reused
  std::size_t end_ = 0;           // offset in `html` after the last text
  bool ends_with_space_ = false;  // true if the last text ends with a space
  bool at_boundary_ = true;       // true at the boundary of a block, where white space is not rendered
  bool full_ = false;
};

}  // namespace linkherd::parser
