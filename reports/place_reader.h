// The places that duplicate entries stand for. A link may stand in very many, and is read as a whole: what was read is
// kept for the entries that follow, within bounds, so that no report reads it once for each of its places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/duplicates.h"
#include "storage/checked_links.h"

namespace linkherd::reports {

struct EntryPlace {
  std::string url;  // as it is written there
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class PlaceReader {
 public:
  explicit PlaceReader(const storage::CheckedLinks& links) : links_(links) {}

  // Empty where the link does not stand there any more. Valid until the next call.
  const EntryPlace& place(const DuplicateEntry& entry);

 private:
  const storage::CheckedLinks& links_;
  std::unordered_map<std::size_t, std::vector<EntryPlace>> known_;  // by link
  std::size_t known_places_ = 0;
};

}  // namespace linkherd::reports
