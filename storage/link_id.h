// The identity of a link: the first 16 bytes of the SHA-256 of its L1 href (WHATWG serialisation, no fragment; but with
// it if the anchor is checked as a link of its own). Stored: DO NOT CHANGE. Example: https://example.com/ and
// https://example.com/#a both have the id 0f115db062b7c0dd030b16878c99dea5.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::storage {

struct LinkId {
  std::array<std::uint8_t, 16> bytes{};

  static LinkId of(const parser::Url& url);
  static LinkId of_text(std::string_view text);  // for an occurrence that is reported although it is not a URL
  std::string to_hex() const;
  static std::optional<LinkId> from_hex(std::string_view hex);

  auto operator<=>(const LinkId&) const = default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

// Returns the SHA-256 of a payload in lower-case hexadecimal. It is the key of a body and detects equal content.
std::string content_digest(std::string_view payload);

}  // namespace linkherd::storage

template <>
struct std::hash<linkherd::storage::LinkId> {
  std::size_t operator()(const linkherd::storage::LinkId& id) const noexcept {
    std::size_t h = 0;  // the id is already a cryptographic hash
    for (std::size_t i = 0; i < sizeof h; ++i) h = h << 8 | id.bytes[i];
    return h;
  }
};

namespace linkherd::storage {

// A range of ids. Ids are hashes, so ranges of the same width contain about the same number of links.
struct IdRange {
  LinkId first = {};
  std::optional<LinkId> end = {};  // the first id after the range; nullopt: no upper bound
};

// Divides all ids into at most 256 ranges of equal width, in ascending order.
std::vector<IdRange> split_ids(std::size_t parts);

// Numbers link ids from 0 in the order of insertion. The hash table takes about 25 bytes per id.
class LinkIdTable {
 public:
  std::size_t size() const { return ids_.size(); }
  const LinkId& id(std::size_t number) const { return ids_[number]; }

  std::optional<std::size_t> find(const LinkId& id) const;
  // The number of the id, and whether the id was new. add() throws std::length_error for more than 2^32 - 1 ids.
  struct Added {
    std::size_t number = 0;
    bool is_new = false;
  };
  Added add(const LinkId& id);
  // Prefetches the memory that add() will read. Without this, a caller that adds many ids mostly waits for memory. Call
  // prefetch_slot() some ids ahead, and prefetch_id(), which reads the slot, half as many ids ahead.
  void prefetch_slot(const LinkId& id) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home_of(id)]);
  }
  void prefetch_id(const LinkId& id) const {
    if (slots_.empty()) return;
    const std::uint32_t number = slots_[home_of(id)];
    if (number != none) __builtin_prefetch(&ids_[number]);
  }
  // Gives a number another id, which must not be in the table under any other number.
  void replace(std::size_t number, const LinkId& id);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  bool is_full() const { return (ids_.size() + replaced_ + 1) * 3 > slots_.size() * 2; }
  std::size_t home_of(const LinkId& id) const { return std::hash<LinkId>()(id) & (slots_.size() - 1); }
  std::size_t slot_of(const LinkId& id) const;
  void grow();

  std::deque<LinkId> ids_;
  std::vector<std::uint32_t> slots_;  // numbers; at most two thirds of the slots are used
  std::size_t replaced_ = 0;          // number of slots that still hold former ids
};

}  // namespace linkherd::storage
