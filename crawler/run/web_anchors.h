// Checks whether a web page has the anchor that the fragment of a link names. The necessary parts of a page are kept
// until all links are known. A crawl may find more links to a page long after reading it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Returns true if the fragment can be checked. "#", "#/route" and "#!route" cannot.
bool is_evaluated_fragment(std::string_view fragment);

struct PageAnchors {
  std::string page;                // final URL, with the password masked
  std::vector<std::string> names;  // anchors of the page, sorted; empty for a text file
  std::string text;                // visible text; empty if no link needs it
  std::size_t lines = 0;           // line numbers shown, or lines of a text file, or pages of a PDF; 0: unknown
  bool is_html = false;
  bool is_pdf = false;
  bool is_whole = false;  // the page was read completely, so an unknown name is missing
  bool has_text = false;  // `text` is complete, so an unknown text is missing
  bool is_built_by_script = false;

  std::size_t bytes() const;
};

// Returns the anchors of an HTML page; `page` is not set. `shown`: its visible text, complete if `is_shown_whole`.
// `snapshot` says whether the page was truncated.
PageAnchors collect_page_anchors(const storage::Snapshot& snapshot, std::string_view html, std::string shown,
                                 bool is_shown_whole);
// Returns the anchors of a PDF with `pages` pages; 0: unknown.
PageAnchors collect_pdf_anchors(const storage::Snapshot& snapshot, std::size_t pages);
// Returns the anchors of an HTML or text body, which may come from the store. Returns nullopt if its fragments cannot
// be checked.
std::optional<PageAnchors> collect_body_anchors(const storage::Snapshot& snapshot, std::string_view body);
// Returns true if the complete body can show more about a fragment than the status does.
bool may_have_anchors(const storage::Snapshot& snapshot);

std::string encode(const PageAnchors& anchors);
PageAnchors decode_page_anchors(std::string_view bytes);

// Checks the fragments of one page. The time per fragment is bounded by the size of the page.
class FragmentEvaluator {
 public:
  explicit FragmentEvaluator(PageAnchors anchors);
  ~FragmentEvaluator();
  FragmentEvaluator(const FragmentEvaluator&) = delete;
  FragmentEvaluator& operator=(const FragmentEvaluator&) = delete;

  // Returns what is wrong with a link with this fragment, as written in its URL. Returns nullopt if nothing is wrong or
  // if that cannot be determined. `may_suggest`: search for a similar name.
  std::optional<storage::Verdict> problem_of(std::string_view fragment, bool may_suggest);
  storage::Verdict alive_verdict() const;
  const PageAnchors& anchors() const { return anchors_; }

 private:
  std::optional<storage::Verdict> missing(std::string problem) const;

  PageAnchors anchors_;
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace linkherd::crawler
