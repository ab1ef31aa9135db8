// Entries of the lists that are the same page, and by which layer of identity: the first that matches, the most certain
// first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parser/enum_names.h"
#include "storage/run.h"

namespace linkherd::parser {
class TrackingRules;
class Url;
}  // namespace linkherd::parser

namespace linkherd::reports {

class EntryCollector;

// Names are printed: DO NOT CHANGE them.
enum class DuplicateLayer : std::uint8_t {
  same_text,     // L0: the same bytes
  same_href,     // L1: the same WHATWG href without fragment
  normalized,    // L2: the same after safe normalisation
  untracked,     // L3: the same without tracking parameters and redirectors
  same_target,   // L5: the same final URL
  same_content,  // L7: the same payload digest
};
inline constexpr std::array<EnumName<DuplicateLayer>, 6> duplicate_layer_names{{
    {DuplicateLayer::same_text, "same_text"},
    {DuplicateLayer::same_href, "same_href"},
    {DuplicateLayer::normalized, "normalized"},
    {DuplicateLayer::untracked, "untracked"},
    {DuplicateLayer::same_target, "same_target"},
    {DuplicateLayer::same_content, "same_content"},
}};

enum class DuplicateScope { within, across, off };  // within one file only, or across all files

struct DuplicateEntry {
  std::size_t link = 0;        // number of the link that was given
  std::size_t occurrence = 0;  // index into that link's occurrences

  bool operator==(const DuplicateEntry&) const = default;
};

struct DuplicateGroup {
  DuplicateLayer layer = DuplicateLayer::same_text;  // the weakest layer that was needed to join the group
  bool certain = true;  // false: "possible", same without tracking, but neither a redirect nor the content agrees
  std::string what;     // what they share: the URL, or the digest
  std::vector<DuplicateEntry> entries;  // at least two, in the order of the lists
  // More than 0: the group is a note that whole files are parallel lists (translations, a copy). `entries` are the
  // first shared link of each file, this is how many links they share, and those are no groups of their own.
  std::size_t shared_links = 0;

  bool operator==(const DuplicateGroup&) const = default;
};

// That the file of that rank lists `page`, a number that stands for one page, whatever its spelling.
struct Listing {
  std::size_t page = 0;
  std::size_t file = 0;

  bool operator==(const Listing&) const = default;
};

// Files that list mostly the same links: translations of one list, or copies. For each file the lowest rank in its
// family: two files are parallel if they share more than half of the pages of each, and at least `fewest_shared`. Files
// that are parallel to the same file are in one family.
inline constexpr std::size_t fewest_shared = 10;
std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::size_t files);

// Takes links one by one, in any order, and keeps little of each. Groups are unions: A and B by one layer, B and C by
// another make one group, whose layer is the weakest that it takes. It is `certain` if it holds together without L3,
// where a redirect from one to the other counts as proof as well; otherwise its layer is `untracked`. L5 and L7 only
// look at pages that are there (alive, redirected). Entries that differ only in their fragment are the same page, but
// no duplicates: they are not grouped with each other. A body that more than a few different links share is a template
// (an error page, a wall), not a duplicate. Only links in text are entries: images, resources and forms may be
// repeated. Linear in the number of entries, but for their sorting.
class DuplicateFinder {
 public:
  // `rules`: the user's tracking rules beside the built-in ones; may be null.
  DuplicateFinder(DuplicateScope scope, const parser::TrackingRules* rules);
  ~DuplicateFinder();
  DuplicateFinder(const DuplicateFinder&) = delete;
  DuplicateFinder& operator=(const DuplicateFinder&) = delete;

  // `url`: that of the link; null where it has none.
  void add(std::size_t number, const storage::CheckedLink& link, const parser::Url* url);
  std::vector<DuplicateGroup> take();  // once, after the last link

 private:
  DuplicateScope scope_;
  std::unique_ptr<EntryCollector> entries_;
};

}  // namespace linkherd::reports
