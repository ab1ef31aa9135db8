#include "crawler/run/file_verdicts.h"

#include <cstddef>
#include <utility>

namespace linkherd::crawler {

void FileVerdicts::add(FileLink link) {
  if (!evaluate_existing(link)) waiting_.push_back(std::move(link));
}

// Most links lead to files and anchors of this input document or an earlier one.
bool FileVerdicts::evaluate_existing(const FileLink& link) {
  const auto& [index, local] = link;
  if (!options_.local->exists_with_anchor(*local.file, local.fragment)) return false;
  const std::uint32_t path = LocalLinks::index_of(*local.file);
  if (path >= by_path_.size()) by_path_.resize(std::size_t{path} + 1);
  std::uint32_t& like = local.fragment.empty() ? by_path_[path].page : by_path_[path].anchor;
  if (like == none) {
    table_.set_verdict(like = index, LocalLinks::alive_verdict(*local.file, local.fragment));
  } else {
    table_.set_verdict_of(index, like);
  }
  return true;
}

void FileVerdicts::evaluate() {
  for (FileLink& file : waiting_) {
    if (!evaluate_existing(file)) table_.set_verdict(file.link, options_.local->evaluate(file.local));
    file.local = {};  // a hostile list may have a million links to files that do not exist
  }
}

void FileVerdicts::hand_out() {
  constexpr std::size_t at_once = 10'000;
  LinkTable evaluated;
  const auto flush = [&] {
    if (!evaluated.empty()) options_.take_part(evaluated, late_order);
    evaluated = {};
  };
  for (auto& [id, local] : handed_out_) {
    evaluated.find_or_add(id, {}, options_.local->evaluate(local));
    local = {};
    if (evaluated.size() == at_once) flush();
  }
  flush();
}

}  // namespace linkherd::crawler
