#include "crawler/run/fragment_links.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parser/lists/text_directive.h"
#include "storage/link_history.h"
#include "storage/link_id.h"

namespace linkherd::crawler {
namespace {

std::string_view fragment_of(const parser::LinkOccurrence& occurrence) {
  const std::size_t at = occurrence.href.find('#');
  return at == std::string::npos ? std::string_view() : std::string_view(occurrence.href).substr(at + 1);
}

}  // namespace

bool FragmentLinks::has_fragment(std::size_t index) const {
  bool has = false;
  links_.table().for_each_occurrence(index, [&has](const parser::LinkOccurrence& occurrence) {
    has = is_evaluated_fragment(fragment_of(occurrence));
    return !has;
  });
  return has;
}

void FragmentLinks::add(std::size_t index, const storage::Snapshot& snapshot, PageAnchors anchors) {
  bool asks_for_text = false;
  links_.table().for_each_occurrence(index, [&asks_for_text](const parser::LinkOccurrence& link) {
    asks_for_text = !parser::find_text_directive(fragment_of(link)).empty();
    return !asks_for_text;
  });
  if (!asks_for_text) {
    anchors.has_text = false;
    anchors.text.clear();
  }
  anchors.page = snapshot.final_url.substr(0, snapshot.final_url.find('#'));
  pages_.emplace_back(static_cast<std::uint32_t>(index), anchors_.add(encode(anchors)));
}

std::vector<storage::LinkId> FragmentLinks::evaluate(const OnLink& on_new, const OnLink& on_changed) {
  std::size_t comparisons_left = 200'000;  // of existing names with missing ones; bounds the time
  std::vector<storage::LinkId> replaced;
  for (const auto& [index, extent] : std::exchange(pages_, {})) {
    const storage::LinkId id = links_.id(index);
    FragmentEvaluator evaluator(decode_page_anchors(anchors_.read(extent)));
    const std::vector<std::size_t> made = evaluate_page(index, evaluator, comparisons_left);
    std::ranges::for_each(made, on_new);
    if (links_.id(index) != id) {
      replaced.push_back(id);
    } else if (!made.empty()) {
      on_changed(index);
    }
  }
  std::ranges::sort(replaced);
  return replaced;
}

// Returns the indices of the new links.
std::vector<std::size_t> FragmentLinks::evaluate_page(std::size_t index, FragmentEvaluator& evaluator,
                                                      std::size_t& comparisons_left) {
  constexpr std::size_t max_fragments = 1000;  // per page
  const std::string page(links_.href_to_fetch(index));
  const std::size_t names = evaluator.anchors().names.size() + 1;
  std::vector<LinkTable::NewLink> found;
  std::map<std::string, std::optional<std::size_t>, std::less<>> by_fragment;
  const auto goes_to = [&](const parser::LinkOccurrence& occurrence) -> std::optional<std::size_t> {
    const bool is_left_out =
        !occurrence.ignored_by.empty() || (filter_ != nullptr && filter_->excludes(occurrence.url, occurrence.href));
    const std::string_view fragment = fragment_of(occurrence);
    if (is_left_out || !is_evaluated_fragment(fragment)) return std::nullopt;
    const auto [known, is_new] = by_fragment.try_emplace(std::string(fragment));
    if (!is_new || found.size() == max_fragments) return known->second;
    const bool may_suggest = comparisons_left >= names;
    std::optional<storage::Verdict> verdict = evaluator.problem_of(fragment, may_suggest);
    if (verdict && may_suggest) comparisons_left -= names;
    std::string href = page + "#" + known->first;
    const storage::LinkId id = storage::LinkId::of_text(href);
    if (!verdict && store_ != nullptr && storage::LinkHistory(*store_).state(id)) verdict = evaluator.alive_verdict();
    if (!verdict) return std::nullopt;
    known->second = found.size();
    found.push_back({id, std::move(href), std::move(*verdict)});
    return known->second;
  };
  links_.table().for_each_occurrence(index, [&goes_to](const parser::LinkOccurrence& occurrence) {
    goes_to(occurrence);
    return true;
  });
  return found.empty() ? std::vector<std::size_t>() : links_.split(index, found, goes_to);
}

}  // namespace linkherd::crawler
