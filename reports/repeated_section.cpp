// The section "Repeated" of the text report: pages that are listed more than once, by what makes them the same.
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/place_reader.h"
#include "reports/text_sections.h"
#include "reports/wording.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t places_of_a_group = 10;  // without -v

std::string in_words(const EntryPlace& place) { return fmt::format("{}:{}:{}", place.file, place.line, place.column); }

// The first place with its address, then the others: those with the same address in one row, the rest with their own.
TextEntry entry_of(PlaceReader& places, const DuplicateGroup& group, const TextOptions& options) {
  const EntryPlace first = places.place(group.entries.front());
  TextEntry entry{in_words(first), first.url, {}};
  const std::size_t number = 1 + shown(group.entries.size() - 1, places_of_a_group, options);
  std::vector<std::string> same, different;
  for (std::size_t i = 1; i < number; ++i) {
    const EntryPlace& other = places.place(group.entries[i]);
    if (other.url == first.url) {
      same.push_back(in_words(other));
    } else {
      different.push_back(fmt::format("also at {}  {}", in_words(other), other.url));
    }
  }
  if (!same.empty()) entry.remarks = wrapped("also at", same);
  entry.remarks.insert(entry.remarks.end(), different.begin(), different.end());
  if (number < group.entries.size()) entry.remarks.push_back(and_more(group.entries.size() - number));
  return entry;
}

}  // namespace

void write_repeated(TextWriter& writer, const Report& report, const TextOptions& options) {
  if (report.duplicates.empty()) return;
  writer.title("Repeated", report.duplicates.size(), Tone::notable, "the same page listed more than once");

  std::map<std::pair<DuplicateLayer, bool>, std::vector<const DuplicateGroup*>> by_layer;  // the surest first
  std::size_t left = shown(report.duplicates.size(), first_screen, options);
  const std::size_t hidden = report.duplicates.size() - left;
  for (const DuplicateGroup& group : report.duplicates) {
    if (group.shared_links == 0) {
      by_layer[{group.layer, !group.certain}].push_back(&group);
    } else if (left > 0) {
      --left;
      writer.subtitle(
          fmt::format("parallel lists with {} in common: {}", counted(group.shared_links, "link"), group.what));
    }
  }
  PlaceReader places(*report.links);
  for (const auto& [kind, groups] : by_layer) {
    std::vector<TextEntry> entries;
    for (const DuplicateGroup* group : groups) {
      if (left == 0) break;
      --left;
      entries.push_back(entry_of(places, *group, options));
    }
    if (entries.empty()) break;
    writer.subtitle(layer_in_words(kind.first, !kind.second));
    writer.entries(entries, 4);
  }
  if (hidden > 0) writer.line("  " + and_more(hidden), Tone::faint);
}

}  // namespace linkherd::reports
