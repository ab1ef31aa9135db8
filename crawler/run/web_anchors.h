// Whether a page of the web has the place that the fragment of a link names. What is needed for that is kept of a page
// until all links are known: a crawl may find more links to a page long after it was read.
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

// Whether anything can be said of it: not of "#", "#/route" and "#!route".
bool is_evaluated_fragment(std::string_view fragment);

struct PageAnchors {
  std::string page;                // its address in the end, as it may be told
  std::vector<std::string> names;  // its anchors, sorted; none of a text
  std::string text;                // what it shows; empty where no text is looked for
  std::size_t lines = 0;           // that it numbers, or that a text has; of a PDF its pages; 0: unknown
  bool is_html = false;
  bool is_pdf = false;
  bool is_whole = false;  // a name that is not there is missing …
  bool has_text = false;  // … and a text too
  bool is_built_by_script = false;

  std::size_t bytes() const;
};

// Without the address. `shown`: the text of its body, all of it where `is_shown_whole`. `snapshot` says whether the
// page is cut.
PageAnchors anchors_of_page(const storage::Snapshot& snapshot, std::string_view html, std::string shown,
                            bool is_shown_whole);
// Of a PDF with so many pages; 0: unknown.
PageAnchors anchors_of_pdf(const storage::Snapshot& snapshot, std::size_t pages);
// Of the body of a page or text, which may have been stored; nothing where its links cannot be judged.
std::optional<PageAnchors> anchors_of_body(const storage::Snapshot& snapshot, std::string_view body);
// Whether the whole of it would say more than its status.
bool may_have_anchors(const storage::Snapshot& snapshot);

std::string encode(const PageAnchors& anchors);
PageAnchors decode_page_anchors(std::string_view bytes);

// The fragments of one page. Its time is bounded by the size of the page for each.
class FragmentEvaluator {
 public:
  explicit FragmentEvaluator(PageAnchors anchors);
  ~FragmentEvaluator();
  FragmentEvaluator(const FragmentEvaluator&) = delete;
  FragmentEvaluator& operator=(const FragmentEvaluator&) = delete;

  // What is wrong with a link with this fragment, as written in its URL. Nothing also where that cannot be told.
  // `may_suggest`: look for the name that is meant.
  std::optional<storage::Verdict> problem_of(std::string_view fragment, bool may_suggest);
  storage::Verdict is_there() const;
  const PageAnchors& anchors() const { return anchors_; }

 private:
  std::optional<storage::Verdict> missing(std::string problem) const;

  PageAnchors anchors_;
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace linkherd::crawler
