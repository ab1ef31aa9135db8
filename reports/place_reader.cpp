#include "reports/place_reader.h"

#include <utility>

#include <fmt/format.h>

namespace linkherd::reports {
namespace {

constexpr std::size_t most_known_places = 200'000;  // a few dozen megabytes

}  // namespace

std::string place(const EntryPlace& entry) { return fmt::format("{}:{}:{}", entry.file, entry.line, entry.column); }

const EntryPlace& PlaceReader::place(const DuplicateEntry& entry) {
  static const EntryPlace nowhere;
  auto known = known_.find(entry.link);
  if (known == known_.end()) {
    std::vector<EntryPlace> places;
    for (parser::LinkOccurrence& occurrence : links_.occurrences(entry.link)) {
      places.push_back({std::move(occurrence.url), std::move(occurrence.file), occurrence.line, occurrence.column});
    }
    if (known_places_ + places.size() > most_known_places) {
      known_.clear();
      known_places_ = 0;
    }
    known_places_ += places.size();
    known = known_.emplace(entry.link, std::move(places)).first;
  }
  return entry.occurrence < known->second.size() ? known->second[entry.occurrence] : nowhere;
}

}  // namespace linkherd::reports
