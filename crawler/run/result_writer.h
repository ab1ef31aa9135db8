// Writes the results of a run to its store. The first result of a link has all its occurrences; later ones keep them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/run/run_links.h"
#include "storage/link_result.h"
#include "storage/link_writer.h"
#include "storage/run.h"
#include "storage/run_results.h"
#include "storage/store.h"

namespace linkherd::crawler {

class ResultWriter {
 public:
  // All must outlive this object. `run` was begun in `store`.
  ResultWriter(const storage::Store& store, const storage::Run& run, RunLinks& links)
      : store_(store), run_(run), links_(links), results_(store, run), batch_(store, run) {}

  storage::RunResults& results() { return results_; }

  // Records that a link is taken, in the order of the indices. `is_new`: the store has no state of the link.
  void take(bool is_new) { is_new_.push_back(is_new); }
  bool is_new(std::size_t index) const { return index < is_new_.size() && is_new_[index]; }

  // Returns a link without a verdict of this run, with the findings of earlier runs.
  storage::CheckedLink known_link(std::size_t index) const {
    return is_new(index) ? links_.planned(index) : links_.with_state(index);
  }
  // Writes results that need no request, each with the index of its link, in one batch. Moves the results away.
  void put(std::span<storage::NumberedResult> results);
  // Writes one result, and logs it at the level debug, as write_buffered() does for the others.
  void put(std::size_t index, storage::LinkResult result);
  // Writes a link with its state and its result.
  void put_link(std::size_t index, storage::CheckedLink link);
  // Buffers what one check of a link found. `body`: see storage::LinkWriter. The buffer is written when it is large.
  void add(std::size_t index, storage::CheckedLink& link, std::string_view body);
  void write_buffered();

  // Writes results for unfinished links among the first `taken` ones that were taken before the previous call, some
  // thousands at a time. The run then has these links even if the process is killed. Most links are finished sooner and
  // are written only once.
  void write_unfinished(std::size_t taken);

  // Records that a link got occurrences, which write_new_occurrences() writes at the end if the link was taken before.
  void add_occurrences(std::size_t index);
  void write_new_occurrences();

 private:
  void set_occurrences(std::size_t index, storage::LinkResult& result);

  const storage::Store& store_;
  const storage::Run& run_;
  RunLinks& links_;
  storage::RunResults results_;
  storage::LinkWriter batch_;
  std::vector<std::string> log_lines_;     // about buffered links; printed after they were written
  std::vector<bool> is_new_;               // by index
  std::vector<bool> has_result_;           // by index: the run has a result of the link, or is about to get it
  std::size_t with_results_ = 0;           // the first `with_results_` links all have a result
  std::size_t taken_before_ = 0;           // `taken` of the last write_unfinished()
  std::vector<bool> has_new_occurrences_;  // by index
};

}  // namespace linkherd::crawler
