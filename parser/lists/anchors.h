// Finds the anchors of a document, which are the targets of "#…" links, and looks fragments up in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/document_format.h"
#include "parser/lists/found_link.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns true if find_anchors() supports the format. Supported are Markdown, MDX, HTML (including bookmark files) and
// AsciiDoc.
bool has_known_anchors(DocumentFormat format);

// Returns the sorted unique anchors of a document, without "#". Empty for unsupported formats. The anchors are:
// - in Markdown, the names in attribute lists and the slugs of headings. Slugs follow the rules of GitHub ("-1" is
//   appended to a repeated slug) and of other sites;
// - the values of `id` and `name` attributes of HTML;
// - in AsciiDoc, the ids of the text itself, without the ids of included files.
std::vector<std::string> find_anchors(std::string_view text, DocumentFormat format,
                                      SiteGenerator generator = SiteGenerator::none);

// Does the same for the result of a reader of that format. Its headings must be sorted by offset.
std::vector<std::string> find_anchors(const FoundLinks& found, DocumentFormat format);

// A set of anchors in which fragments are looked up. It stores only an 8-byte hash of each anchor, because large sites
// have millions of anchors.
class AnchorSet {
 public:
  AnchorSet() = default;
  AnchorSet(const std::vector<std::string>& anchors, DocumentFormat format);
  // Returns the set of find_anchors(found, format).
  static AnchorSet of(const FoundLinks& found, DocumentFormat format);

  // Returns true if the set contains `fragment`, which is written as in a URL and may be percent-encoded. Like
  // browsers, this function accepts "top" and the empty fragment, and it ignores text directives (":~:text="). It also
  // accepts "403-410" if the set contains "403" and "410".
  //
  // The lower-case form of the fragment also matches in Markdown, in AsciiDoc, and on pages with ids in GitHub's form
  // ("user-content-…"). In these documents "readme" always exists, because GitHub gives the whole file this anchor.
  bool has(std::string_view fragment) const;

  std::size_t size() const { return hashes_.size(); }

 private:
  bool holds(std::string_view anchor) const;
  bool has_lines(std::string_view range) const;

  std::vector<std::uint64_t> hashes_;  // sorted
  bool has_slugs_ = false;
};

// Returns true if the document may have anchors that find_anchors() does not find. This applies to HTML with a script
// and hardly any text. It also applies to Markdown that includes documentation generated from code (":::
// package.module" of mkdocstrings, "{eval-rst}" of MyST) or shows an MDX component ("<Options />").
bool has_generated_anchors(std::string_view text, DocumentFormat format);
// Returns true if a page has a script and its body shows too little text, so that scripts must build the page.
// `shown_code_points` is the length of the text that the body shows.
bool is_built_by_script(std::string_view html, std::size_t shown_code_points);

// Removes the prefix "user-content-", which GitHub adds to every id. Links work with and without it.
std::string_view strip_github_prefix(std::string_view anchor);

// Returns true for line anchors of code viewers, such as "L10", "L10-L20" and "L10C3".
bool is_line_reference(std::string_view fragment);

// Returns true for routes of single-page applications, such as "#/guide" and "#!page". `fragment` has no "#".
bool is_route(std::string_view fragment);

}  // namespace linkherd::parser
