// Reads the positions of duplicate entries. A link may have very many positions and is read as a whole, so they are
// cached, with a size limit, and the link is not read once per position.
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
  std::string url;  // as written there
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// "resources.md:99:12", like the place of a link occurrence.
std::string format_location(const EntryLocation& entry);

class LocationReader {
 public:
  explicit LocationReader(const storage::CheckedLinks& links) : links_(links) {}

  // Empty if the link no longer has such a position. Valid until the next call.
  const EntryLocation& location(const DuplicateEntry& entry);

 private:
  const storage::CheckedLinks& links_;
  std::unordered_map<std::size_t, std::vector<EntryLocation>> known_;  // by link
  std::size_t known_locations_ = 0;
};

}  // namespace linkherd::reports
