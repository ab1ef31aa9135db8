#include "crawler/run/result_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace linkherd::crawler {
namespace {

// Buffered results are written above this size. One large batch, sorted by key, takes less time than many small ones.
constexpr std::size_t max_buffered_bytes = std::size_t{8} << 20;

bool logs_stored() { return spdlog::should_log(spdlog::level::debug); }

std::string stored_line(const storage::LinkResult& result) {
  const storage::Verdict& verdict = result.verdict;
  return fmt::format("stored: {} {} {}", result.url, enum_name(storage::health_names, verdict.health), verdict.reason);
}

}  // namespace

void ResultWriter::put(std::span<storage::NumberedResult> results) {
  std::vector<storage::LinkResult> rows;
  rows.reserve(results.size());
  for (auto& [index, result] : results) {
    set_occurrences(index, result);
    rows.push_back(std::move(result));
  }
  results_.put(rows);
}

void ResultWriter::put(std::size_t index, storage::LinkResult result) {
  const std::string line = logs_stored() ? stored_line(result) : std::string();
  storage::NumberedResult one(index, std::move(result));
  put(std::span(&one, 1));
  if (!line.empty()) spdlog::debug(line);
}

void ResultWriter::put_link(std::size_t index, storage::CheckedLink link) {
  link.result.occurrences = links_.occurrences(index);
  storage::put_link(store_, run_, link, {});
}

void ResultWriter::add(std::size_t index, storage::CheckedLink& link, std::string_view body) {
  set_occurrences(index, link.result);
  batch_.add(link, body, is_new(index));
  if (logs_stored()) log_lines_.push_back(stored_line(link.result));
  if (batch_.bytes() >= max_buffered_bytes) write_buffered();
}

void ResultWriter::write_buffered() {
  if (batch_.bytes() == 0) return;
  batch_.write();
  for (const std::string& line : log_lines_) spdlog::debug(line);
  log_lines_.clear();
}

// Adds the occurrences to the first result of a link, and only the first one to later results.
void ResultWriter::set_occurrences(std::size_t index, storage::LinkResult& result) {
  has_result_.resize(std::max(has_result_.size(), index + 1));
  const bool is_first = !has_result_[index];
  has_result_[index] = true;
  storage::set_occurrences(result, is_first ? links_.occurrences(index) : links_.first_occurrences(index, 1));
  if (is_first) return;
  result.occurrence_count = links_.table().occurrence_count(index);
  result.occurrences.clear();
}

void ResultWriter::write_unfinished(std::size_t taken) {
  constexpr std::size_t max_occurrences = 20'000;  // takes about 100 ms; the rest is written by the next call
  has_result_.resize(taken);
  std::vector<storage::LinkResult> results;
  for (std::size_t occurrence_count = 0; with_results_ < taken_before_ && occurrence_count < max_occurrences;
       ++with_results_) {
    if (has_result_[with_results_]) continue;
    storage::CheckedLink link = known_link(with_results_);
    storage::set_state(link.result, link.state);
    storage::LinkResult& result = results.emplace_back(std::move(link.result));
    set_occurrences(with_results_, result);
    occurrence_count += result.occurrences.size();
  }
  results_.put(results);
  taken_before_ = taken;
}

void ResultWriter::add_occurrences(std::size_t index) {
  has_new_occurrences_.resize(std::max(has_new_occurrences_.size(), index + 1));
  has_new_occurrences_[index] = true;
}

void ResultWriter::write_new_occurrences() {
  constexpr std::size_t at_once = 16;  // a link may have an occurrence on every page
  std::vector<storage::LinkResult> results;
  for (std::size_t index = 0; index < has_new_occurrences_.size(); ++index) {
    if (!has_new_occurrences_[index]) continue;
    std::optional<storage::LinkResult> result = results_.find(links_.id(index));
    if (!result) continue;
    result->occurrences = links_.occurrences(index);
    results.push_back(std::move(*result));
    if (results.size() < at_once) continue;
    results_.put(results);
    results.clear();
  }
  results_.put(results);
}

}  // namespace linkherd::crawler
