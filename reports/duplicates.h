// Finds entries of the lists that have the same page. Ten layers of identity, from L0 (the same text) to L9 (nearly the
// same main text), define what "the same" means. A group is reported with the layer that connects it.
//
// Example: six entries
//   1  https://a.example/guide
//   2  https://a.example/guide?utm_source=x   without its tracking parameter, the same as entry 1 (L3, untracked)
//   3  http://www.a.example/guide             differs from entry 1 only in http and www (L4, equivalent)
//   4  https://b.example/old                  redirects to https://a.example/guide (L5, same_target)
//   5  https://c.example/copy                 has the same main text and title as entry 1 (L8, same_main_text)
//   6  https://a.example/guide#install        not a duplicate, because only the fragment differs
// Entries 1 to 5 form one group. L3 and L4 alone only suggest identity: if entry 2 or 3 does not redirect to entry 1
// and its content does not agree either, the group is reported as "possibly" the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parser/enum_names.h"
#include "storage/link_result.h"

namespace linkherd::parser {
class TrackingRules;
class Url;
}  // namespace linkherd::parser

namespace linkherd::reports {

class EntryCollector;
struct LinkTraits;

// The layers of identity, most certain first. Names are printed: DO NOT CHANGE them.
enum class DuplicateLayer : std::uint8_t {
  same_text,       // L0: the same bytes
  same_href,       // L1: the same WHATWG href, without fragment
  normalized,      // L2: the same after safe normalisation
  untracked,       // L3: the same without tracking parameters and redirectors
  equivalent,      // L4: equal except for http/https, www, mobile hosts and other addresses that a site has for a page
  same_target,     // L5: the same final URL
  canonical,       // L6: the same canonical URL, as declared by the pages
  same_content,    // L7: the same payload digest
  same_main_text,  // L8: the same main text and title
  near_text,       // L9: nearly the same main text
};
inline constexpr std::array<EnumName<DuplicateLayer>, 10> duplicate_layer_names{{
    {DuplicateLayer::same_text, "same_text"},
    {DuplicateLayer::same_href, "same_href"},
    {DuplicateLayer::normalized, "normalized"},
    {DuplicateLayer::untracked, "untracked"},
    {DuplicateLayer::equivalent, "equivalent"},
    {DuplicateLayer::same_target, "same_target"},
    {DuplicateLayer::canonical, "canonical"},
    {DuplicateLayer::same_content, "same_content"},
    {DuplicateLayer::same_main_text, "same_main_text"},
    {DuplicateLayer::near_text, "near_text"},
}};

// Where duplicates are searched: among the main links of entries within each file, or across files; or among all links
// in text across files (`mentions`).
enum class DuplicateScope { within, across, mentions, off };

struct DuplicateEntry {
  std::size_t link = 0;        // number of the link, as passed to add()
  std::size_t occurrence = 0;  // index into that link's occurrences

  bool operator==(const DuplicateEntry&) const = default;
};

struct DuplicateGroup {
  DuplicateLayer layer = DuplicateLayer::same_text;  // weakest layer that is needed to connect the group
  bool is_certain = true;               // false: depends on L3, L4 or L6, and neither redirects nor content confirm it
  std::string shared_value;             // the shared URL or digest; for L9, the similarity and the first page
  std::vector<DuplicateEntry> entries;  // at least two, in list order
  // If not 0, the group is a note that files are parallel lists, such as translations or copies. `entries` are then the
  // first shared links of each file, and this is the number of shared links. These links are not reported as groups of
  // their own.
  std::size_t parallel_link_count = 0;

  bool operator==(const DuplicateGroup&) const = default;
};

// One entry of a file. `page` identifies the page, however its URL is written; `file` is the index of the file.
struct Listing {
  std::size_t page = 0;
  std::size_t file = 0;

  bool operator==(const Listing&) const = default;
};

// Finds families of parallel files, which list mostly the same links: translations or copies. Two files are parallel if
// they share at least `min_shared_pages` pages and more than half of the pages of each. Files that are parallel to the
// same file are in one family. Returns for each file the lowest index in its family. `other_pages` has for each file
// the number of further pages that no other file lists.
inline constexpr std::size_t min_shared_pages = 10;
std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::vector<std::size_t> other_pages);

// Finds duplicates among links. Each link is first noted with note(). The links that candidates() returns are then
// added with add(). Both accept the links in any order. Memory is about 100 bytes per link, and time is linear in the
// number of entries, except for sorting.
//
// Groups are unions: if A and B match in one layer, and B and C in another, all three form one group. A group is
// certain if it is connected without L3, L4 and L6; a redirect from one URL to the other counts as proof. The layer of
// a certain group is the weakest one needed; that of another group is the last of L3, L4 and L6 that was needed.
//
// Some matches are excluded:
//
// - L5 to L9 use only pages that exist (alive, redirected).
// - L4 and L6 do not join pages whose main texts are known to differ.
// - Entries that differ only in their fragments are not duplicates of each other.
// - A body, text or canonical URL that more than a few different links share is a template, such as an error page or a
//   login wall. For L9, see near_texts.h.
// - Images, resources and forms are never compared. Badges, mentions and links in prose may be repeated; they are only
//   counted, unless the scope is `mentions`.
class DuplicateFinder {
 public:
  // `rules` are the user's tracking rules in addition to the built-in ones; may be nullptr. `links` is the number of
  // links.
  DuplicateFinder(DuplicateScope scope, const parser::TrackingRules* rules, std::size_t links);
  ~DuplicateFinder();
  DuplicateFinder(const DuplicateFinder&) = delete;
  DuplicateFinder& operator=(const DuplicateFinder&) = delete;

  // Returns what others may share with a link. `url` is its URL, or nullptr if it has none. Thread-safe.
  LinkTraits traits_of(std::size_t index, const storage::LinkResult& result, const parser::Url* url) const;
  void note(std::size_t index, const storage::LinkResult& result, bool is_web, const LinkTraits& traits);
  // Returns the links to add, ascending. Call it once, after all links are noted.
  std::vector<std::uint32_t> candidates();
  void add(std::size_t index, const storage::CheckedLink& link);
  std::vector<DuplicateGroup> take();  // call it once, after the last link
  // Returns how many links that are not main links repeat a page. Returns 0 if they are in the groups. Call it after
  // take().
  std::size_t repeated_mentions() const { return repeated_mentions_; }

 private:
  DuplicateScope scope_;
  const parser::TrackingRules* rules_;
  std::size_t repeated_mentions_ = 0;
  std::unique_ptr<EntryCollector> entries_;
};

}  // namespace linkherd::reports
