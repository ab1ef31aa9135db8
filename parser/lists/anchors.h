// The anchors of a text: the targets of "#…" links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/list_format.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Returns true if anchors_in() supports the format: Markdown, MDX, HTML, including bookmark files, and AsciiDoc.
bool has_known_anchors(ListFormat format);

// Returns the sorted unique anchors without "#": slugs of headings by GitHub's rules ("-1" appended to a repeated one)
// and by those of other sites, names that Markdown gives them, and the values of `id` and `name` attributes. In
// AsciiDoc the ids of the text itself, without those of included files. Empty for unsupported formats.
std::vector<std::string> anchors_in(std::string_view text, ListFormat format,
                                    SiteGenerator generator = SiteGenerator::none);

// The same for what a reader of that format found. Its headings must be sorted by offset.
std::vector<std::string> anchors_in(const FoundLinks& found, ListFormat format);

// Anchors to look fragments up in: a hash of 8 bytes each, since large sites have millions of them.
class AnchorSet {
 public:
  AnchorSet() = default;
  AnchorSet(const std::vector<std::string>& anchors, ListFormat format);
  // Those of anchors_in().
  static AnchorSet of(const FoundLinks& found, ListFormat format);

  // Returns true if `fragment`, as written in a URL (possibly percent-encoded), is one of them. Follows browsers: "top"
  // and the empty fragment always exist, and text fragments (":~:text=") are ignored. In Markdown and AsciiDoc, and on
  // pages with ids as GitHub writes them ("user-content-…"), they also match in another case, and "readme" exists:
  // GitHub names the whole file so. "403-410" exists where "403" and "410" do.
  bool has(std::string_view fragment) const;

  std::size_t size() const { return hashes_.size(); }

 private:
  bool holds(std::string_view anchor) const;
  bool has_lines(std::string_view range) const;

  std::vector<std::uint64_t> hashes_;  // sorted
  bool has_slugs_ = false;
};

// Returns true if there may be anchors that anchors_in() does not find: HTML with a script and hardly any text, and
// Markdown that is documented code in part ("::: package.module" of mkdocstrings, "{eval-rst}" of MyST) or shows a
// component of MDX ("<Options />").
bool has_generated_anchors(std::string_view text, ListFormat format);
// Whether scripts build a page whose body is known to show so many code points.
bool is_built_by_script(std::string_view html, std::size_t shown_code_points);

// "user-content-install" without what GitHub adds to every id; links work with and without it.
std::string_view without_github_prefix(std::string_view anchor);

// "L10", "L10-L20", "L10C3": line anchors of code viewers.
bool is_line_reference(std::string_view fragment);

// "#/guide", "#!page": routes of single-page applications.
bool is_route(std::string_view fragment);

}  // namespace linkherd::parser
