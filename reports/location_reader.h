// Reads the positions of duplicate entries. A link may have very many positions and is read as a whole. Therefore
// positions are cached up to a size limit, instead of reading the link once per position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/duplicates.h"
#include "storage/checked_links.h"

namespace linkherd::reports {

struct EntryLocation {
  std::string url;  // as written at this position
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Example: "resources.md:99:12", the format that link occurrences have as well.
std::string format_location(const EntryLocation& entry);

class LocationReader {
 public:
  explicit LocationReader(const storage::CheckedLinks& links) : links_(links) {}

  // Returns an empty location if the link no longer has such a position. The reference is valid until the next call.
  const EntryLocation& location(const DuplicateEntry& entry);

 private:
  const storage::CheckedLinks& links_;
  std::unordered_map<std::size_t, std::vector<EntryLocation>> known_;  // by link
  std::size_t known_locations_ = 0;
};

}  // namespace linkherd::reports
