#include "parser/text_table.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

namespace linkherd::parser {
namespace {

// The low bits of an Offset are the position in a chunk; the other bits are the index of the chunk.
constexpr unsigned bits_of_offset = 18;
constexpr std::size_t max_chunks = std::size_t{1} << (32 - bits_of_offset);

}  // namespace

TextArena::Offset TextArena::add(std::string_view text) {
  constexpr std::size_t min_chunk_bytes = std::size_t{1} << 12U, max_chunk_bytes = std::size_t{1} << bits_of_offset;
  // An empty text also needs a chunk with a free byte, because an Offset cannot express the end of a full chunk.
  const std::size_t room = std::max<std::size_t>(text.size(), 1);
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < room) {
    const std::size_t usual =
        chunks_.empty() ? min_chunk_bytes : std::min(std::size_t{2} * chunks_.back().size, max_chunk_bytes);
    const std::size_t size = std::max(usual, room);
    if (size > UINT32_MAX || chunks_.size() + 1 == max_chunks) throw std::length_error("texts above 4 GiB");
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): left uninitialised on purpose
    chunks_.push_back({std::unique_ptr<char[]>(new char[size]), 0, static_cast<std::uint32_t>(size)});
  }
  Chunk& chunk = chunks_.back();
  const auto offset = static_cast<Offset>((chunks_.size() - 1) << bits_of_offset | chunk.used);
  if (!text.empty()) std::memcpy(chunk.bytes.get() + chunk.used, text.data(), text.size());
  chunk.used += static_cast<std::uint32_t>(text.size());
  return offset;
}

std::string_view TextArena::from(Offset offset) const {
  const Chunk& chunk = chunks_[offset >> bits_of_offset];
  const std::uint32_t at = offset & ((1U << bits_of_offset) - 1);
  return {chunk.bytes.get() + at, chunk.used - at};
}

std::uint32_t TextTable::hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

// Probes only a limited number of slots, because hostile texts can be chosen to have equal hashes. Probing is
// triangular, because linear probing clusters the taken slots.
template <class IsWanted>
std::size_t TextTable::slot_of(std::uint32_t hash, IsWanted is_wanted) const {
  constexpr std::size_t max_probes = 128;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask, node = 1; node <= max_probes; at = (at + node++) & mask) {
    if (slots_[at].index == none || (slots_[at].hash == hash && is_wanted(slots_[at].index))) return at;
  }
  return no_slot;
}

std::size_t TextTable::slot_of(std::string_view text, std::uint32_t hash) const {
  return slot_of(hash, [&](std::uint32_t index) { return this->text(index) == text; });
}

void TextTable::grow() {
  constexpr std::size_t min_slots = 64;
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(std::max(min_slots, slots_.size() * 2)));
  for (const Slot& slot : before) {
    if (slot.index == none) continue;
    const std::size_t free = slot_of(slot.hash, [](std::uint32_t /*number*/) { return false; });
    if (free != no_slot) slots_[free] = slot;
  }
}

std::uint32_t TextTable::intern(std::string_view text) {
  if (last_ < texts_.size() && this->text(last_) == text) return last_;
  return intern(text, hash_of(text));
}

std::uint32_t TextTable::intern(std::string_view text, std::uint32_t hash) {
  if ((texts_.size() + 1) * 3 > slots_.size() * 2) grow();
  const std::size_t slot = slot_of(text, hash);
  if (slot != no_slot && slots_[slot].index != none) return last_ = slots_[slot].index;
  if (texts_.size() == none) throw std::length_error("more than four billion texts");
  last_ = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back({arena_.add(text), static_cast<std::uint32_t>(text.size())});
  if (slot != no_slot) slots_[slot] = {last_, hash};
  return last_;
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const std::size_t slot = slot_of(text, hash_of(text));
  if (slot == no_slot || slots_[slot].index == none) return std::nullopt;
  return slots_[slot].index;
}

std::vector<std::uint32_t> TextTable::append(const TextTable& other) {
  constexpr std::size_t ahead = 8;
  std::vector<std::uint32_t> indexes(other.size());
  for (std::uint32_t index = 0; index < other.size(); ++index) indexes[index] = hash_of(other.text(index));
  for (std::uint32_t index = 0; index < other.size(); ++index) {
    // Consecutive texts hash to distant slots of a large table. Without prefetching, most of the time is spent waiting
    // for memory.
    if (index + ahead < other.size() && !slots_.empty())
      __builtin_prefetch(&slots_[indexes[index + ahead] & (slots_.size() - 1)]);
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
