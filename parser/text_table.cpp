#include "parser/text_table.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

namespace linkherd::parser {

std::string_view TextArena::add(std::string_view text) {
  constexpr std::size_t min_chunk_bytes = std::size_t{1} << 12U, max_chunk_bytes = std::size_t{1} << 18U;
  if (text.empty()) return {};
  if (chunks_.empty() || chunk_bytes_ - used_ < text.size()) {
    const std::size_t usual = std::clamp(2 * chunk_bytes_, min_chunk_bytes, max_chunk_bytes);
    chunk_bytes_ = std::max(usual, text.size());
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): left uninitialised on purpose
    chunks_.push_back(std::unique_ptr<char[]>(new char[chunk_bytes_]));
    used_ = 0;
  }
  char* const copy = chunks_.back().get() + used_;
  std::memcpy(copy, text.data(), text.size());
  used_ += text.size();
  return {copy, text.size()};
}

void HashIndex::grow() {
  constexpr std::size_t min_slots = 64;
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(std::max(min_slots, slots_.size() * 2)));
  for (const Slot& slot : before) {
    if (slot.index == none) continue;
    const std::size_t free = slot_of(slot.hash, [](std::uint32_t /*index*/) { return false; });
    if (free != no_slot) slots_[free] = slot;
  }
}

std::uint32_t TextTable::hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

std::uint32_t TextTable::intern(std::string_view text) {
  if (last_ < texts_.size() && texts_[last_] == text) return last_;
  return intern(text, hash_of(text));
}

std::uint32_t TextTable::intern(std::string_view text, std::uint32_t hash) {
  last_ = index_.find_or_add(hash, texts_.size(), [&](std::uint32_t index) { return texts_[index] == text; });
  if (last_ == texts_.size()) texts_.push_back(arena_.add(text));
  return last_;
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const std::uint32_t index = index_.find(hash_of(text), [&](std::uint32_t at) { return texts_[at] == text; });
  return index == HashIndex::none ? std::nullopt : std::optional(index);
}

std::vector<std::uint32_t> TextTable::append(const TextTable& other) {
  constexpr std::size_t ahead = 8;
  std::vector<std::uint32_t> indexes(other.size());
  for (std::uint32_t index = 0; index < other.size(); ++index) indexes[index] = hash_of(other.text(index));
  for (std::uint32_t index = 0; index < other.size(); ++index) {
    if (index + ahead < other.size()) index_.prefetch(indexes[index + ahead]);
    indexes[index] = intern(other.text(index), indexes[index]);
  }
  return indexes;
}

std::uint32_t PathTable::intern(const std::vector<std::string>& path) {
  if (path.empty()) return 0;
  const auto shared = static_cast<std::size_t>(std::ranges::mismatch(path, last_).in1 - path.begin());
  last_.resize(shared);
  last_ids_.resize(shared);
  for (std::size_t i = shared; i < path.size(); ++i) {
    if (nodes_.size() == UINT32_MAX) throw std::length_error("more than four billion headings");
    const std::uint32_t parent = i == 0 ? 0 : last_ids_.back();
    nodes_.push_back({names_.intern(path[i]), parent});
    last_.push_back(path[i]);
    last_ids_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  }
  return last_ids_.back();
}

std::vector<std::string> PathTable::path(std::uint32_t id) const {
  std::vector<std::string> path;
  while (id != 0) {
    const Node& node = nodes_[id - 1];
    path.emplace_back(names_.text(node.name));
    id = node.parent;
  }
  std::ranges::reverse(path);
  return path;
}

std::uint32_t PathTable::append(const PathTable& other) {
  if (other.nodes_.size() > UINT32_MAX - nodes_.size()) throw std::length_error("more than four billion headings");
  const auto before = static_cast<std::uint32_t>(nodes_.size());
  const std::vector<std::uint32_t> names = names_.append(other.names_);
  for (const Node& node : other.nodes_)
    nodes_.push_back({names[node.name], node.parent == 0 ? 0 : node.parent + before});
  return before;
}

}  // namespace linkherd::parser
