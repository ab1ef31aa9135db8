// Keeps bytes for later: in memory up to a limit, beyond it in a temporary file. The file has no name, only its owner
// may read it, and it disappears with the process.
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
    std::uint32_t size = 0;  // 0: nothing was stored
  };

  // The default of `max_in_memory` is enough for about ten thousand links.
  explicit SpillFile(std::size_t max_in_memory = std::size_t{16} << 20) : max_in_memory_(max_in_memory) {}

  // Returns true if all values are in memory, and a value of this size fits as well.
  bool has_room_in_memory(std::size_t size) const { return in_file_ == 0 && tail_.size() + size <= max_in_memory_; }

  // add() and read() throw std::runtime_error if the folder of temporary files ($TMPDIR) is full or cannot be used.
  Extent add(std::string_view bytes);
  std::string read(Extent extent) const;  // the extent may span several consecutive values

 private:
  void flush();

  const std::size_t max_in_memory_;
  std::string tail_;           // bytes that are not in the file yet
  std::uint64_t in_file_ = 0;  // number of bytes; the tail follows them
  FileDescriptor file_;
};

}  // namespace linkherd::storage
