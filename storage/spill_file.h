// Bytes that are kept for later: in memory while they are few, beyond that in a temporary file that only its owner
// may read, that has no name and that is deleted with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/file_descriptor.h"

namespace linkherd::storage {

class SpillFile {
 public:
  struct Extent {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;  // 0: nothing was put there
  };

  // `max_in_memory`: about ten thousand links.
  explicit SpillFile(std::size_t max_in_memory = std::size_t{16} << 20) : max_in_memory_(max_in_memory) {}

  // Whether a value of this size stays in memory, and all before it.
  bool has_room_in_memory(std::size_t size) const { return in_file_ == 0 && tail_.size() + size <= max_in_memory_; }

  // Both throw std::runtime_error where the folder of temporary files ($TMPDIR) cannot be used or is full.
  Extent add(std::string_view bytes);
  std::string read(Extent extent) const;  // also of several values that were added one behind the other

 private:
  void flush();

  const std::size_t max_in_memory_;
  std::string tail_;           // what is not in the file yet
  std::uint64_t in_file_ = 0;  // bytes; the tail begins behind them
  FileDescriptor file_;
};

}  // namespace linkherd::storage
