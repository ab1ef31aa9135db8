#include "reports/location_reader.h"

#include <utility>

#include <fmt/format.h>

namespace linkherd::reports {
namespace {

constexpr std::size_t max_cached_occurrences = 200'000;  // takes a few dozen megabytes

}  // namespace

std::string format_location(const EntryLocation& entry) {
  return fmt::format("{}:{}:{}", entry.file, entry.line, entry.column);
}

const EntryLocation& LocationReader::location(const DuplicateEntry& entry) {
  static const EntryLocation nowhere;
  auto known = known_.find(entry.link);
  if (known == known_.end()) {
    std::vector<EntryLocation> locations;
    for (parser::LinkOccurrence& occurrence : links_.occurrences(entry.link)) {
      locations.push_back({std::move(occurrence.url), std::move(occurrence.file), occurrence.line, occurrence.column});
    }
    if (known_locations_ + locations.size() > max_cached_occurrences) {
      known_.clear();
      known_locations_ = 0;
    }
    known_locations_ += locations.size();
    known = known_.emplace(entry.link, std::move(locations)).first;
  }
  return entry.occurrence < known->second.size() ? known->second[entry.occurrence] : nowhere;
}

}  // namespace linkherd::reports
