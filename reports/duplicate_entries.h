// The entries that are compared for duplicates, each with what it is compared by: one key a layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/run.h"

namespace linkherd::parser {
class TrackingRules;
}

namespace linkherd::reports {

// Texts as small numbers: equal texts have equal keys.
using Key = std::uint32_t;
inline constexpr Key no_key = 0;  // nothing to compare by

class KeyTable {
 public:
  Key key(std::string text);
  const std::string& text(Key key) const { return texts_[key]; }
  std::size_t size() const { return texts_.size(); }  // keys are smaller

 private:
  std::deque<std::string> texts_{""};  // never moves them: the map's views stay good
  std::unordered_map<std::string_view, Key> keys_;
  Key last_ = no_key;  // most forms of a link are the same text
};

// Every key but `page` includes the fragment: entries that differ in it have no key in common.
struct ComparedEntry {
  std::size_t link = 0;        // index into the links that were given
  std::size_t occurrence = 0;  // index into that link's occurrences
  std::size_t file = 0;        // rank among the files
  Key text = no_key;           // L0: as written, and resolved alike
  Key href = no_key;           // L1
  Key normalized = no_key;     // L2
  Key untracked = no_key;      // L3
  Key target = no_key;         // L5; only where a page was fetched
  Key content = no_key;        // L7; likewise, and no template
  Key page = no_key;           // L2 without the fragment: what a redirect of another link may lead to
  std::uint32_t line = 0, column = 0;
};

struct ComparedEntries {
  std::vector<ComparedEntry> entries;  // in the order of the lists
  std::vector<std::string> files;      // by rank
  std::vector<std::vector<Key>> hops;  // by link: the pages that its redirects led to
  KeyTable keys;
};

// Entries are what a person listed: http(s) links in text. Images, resources, forms and placeholders are none.
ComparedEntries compared_entries(const std::vector<storage::CheckedLink>& links, const parser::TrackingRules* rules);

}  // namespace linkherd::reports
