#include "crawler/run/page_doubts.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/content_drift.h"
#include "storage/link_history.h"

namespace linkherd::crawler {
namespace {

// Returns the text by which a page describes itself.
std::string describe_own_metadata(const parser::Metadata& metadata) {
  std::string words;
  for (const auto* field : {&metadata.title, &metadata.site_name, &metadata.description}) {
    if (*field) words += (*field)->value + "\n";
  }
  return words;
}

}  // namespace

bool PageDoubts::needs_text(const AnalyzedPage& page) const {
  const storage::Snapshot& snapshot = page.snapshot;
  if (!page_exists(snapshot.verdict)) return false;
  const std::string about = describe_own_metadata(snapshot.metadata);
  return may_need_text(links_.first_occurrences(links_.find(page.request.id()).value(), max_compared_entries),
                       {page.url, snapshot.final_url, about, page.visible});
}

bool PageDoubts::has_host_lost_it(const AnalyzedPage& page) const {
  if (store_ == nullptr || page.snapshot.status != 404) return false;
  if (!earlier_answers_.was_alive_before(page.snapshot.final_url)) return false;
  const std::optional<std::size_t> index = links_.find(page.request.id());
  return !index || links_.with_state(*index).state.snapshot.verdict.health != storage::Health::dead;
}

void PageDoubts::compare_with_list(std::size_t index, AnalyzedPage& page) {
  compare_with_entries(index, page);
  doubt_missing_page(index, page);
  if (page_exists(page.snapshot.verdict)) alive_pages_.add(index, page.snapshot);
}

void PageDoubts::compare_with_entries(std::size_t index, AnalyzedPage& page) {
  storage::Snapshot& snapshot = page.snapshot;
  if (!page_exists(snapshot.verdict) || page.visible.text.empty()) return;
  const parser::Metadata& metadata = snapshot.metadata;
  const std::string about = describe_own_metadata(metadata);
  const std::optional<ContentMismatch> found = find_content_mismatch(
      links_.first_occurrences(index, max_compared_entries), {page.url, snapshot.final_url, about, page.visible});
  if (!found) return;
  const std::string_view title = metadata.title ? metadata.title->value : page.visible.title;
  snapshot.verdict = mismatch_evaluator_.evaluate(snapshot.verdict, *found, page.url, title);
}

void PageDoubts::doubt_missing_page(std::size_t index, AnalyzedPage& page) const {
  storage::Snapshot& snapshot = page.snapshot;
  const storage::Verdict& verdict = snapshot.verdict;
  if (snapshot.status != 404 || verdict.health != storage::Health::dead || verdict.rule != "status") return;
  if (alive_pages_.contains(links_.table(), index, snapshot.final_url)) {
    snapshot.verdict =
        doubt_404(fmt::format("HTTP 404 at {}, which was alive earlier in this run.", snapshot.final_url));
  } else if (!page.visible.text.empty()) {
    const std::optional<std::string> entry =
        matching_entry(links_.first_occurrences(index, max_compared_entries), page.visible);
    if (entry)
      snapshot.verdict = doubt_404(fmt::format("HTTP 404, but the title of the page matches its entry: {}.", *entry));
  }
}

void PageDoubts::compare_with_first_version(storage::LinkState& state, const AnalyzedPage& page,
                                            storage::Snapshot& snapshot) const {
  if (store_ == nullptr || !state.first_version_at) return;
  const storage::Snapshot& last = state.snapshot;
  if (page_exists(last.verdict) && last.main_text.digest == snapshot.main_text.digest) return;
  const std::optional<storage::Snapshot> first =
      storage::LinkHistory(*store_).snapshot_at(state.id, *state.first_version_at);
  if (!first || !is_comparable(*first)) {  // the row was lost: the next snapshot is the first version
    state.first_version_at.reset();
    return;
  }
  if (page.visible.text.empty()) return;
  if (std::optional<storage::Verdict> verdict = find_content_drift(*first, {page.url, snapshot, page.visible}))
    snapshot.verdict = std::move(*verdict);
}

bool PageDoubts::has_answered_before(const storage::LinkId& id, const std::string& url) const {
  if (store_ == nullptr) return false;
  constexpr std::size_t max_snapshots = 32;
  return earlier_answers_.has_answered(url) ||
         EarlierAnswers::has_answered(storage::LinkHistory(*store_).snapshots(id, max_snapshots), url);
}

}  // namespace linkherd::crawler
