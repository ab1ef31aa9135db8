// What a store says of itself outside of its database, to be compared with what the database still has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/run.h"

namespace linkherd::storage {

struct StoreState {
  std::optional<Run> run;       // the latest, as it was last written
  std::uint64_t sequence = 0;   // RocksDB's number of the last change that was safe from a power cut
  std::uint64_t published = 0;  // the same in the latest checkpoint

  bool operator==(const StoreState&) const = default;
};

std::string encode_state(const StoreState& state);
// Whatever cannot be read says nothing: the default.
StoreState decode_state(std::string_view text);

}  // namespace linkherd::storage
