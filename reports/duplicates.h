// Finds entries of the lists that are the same page. The layer of identity is the first that matches, from the most
// certain on.
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
struct LinkTraits;

// Names are printed: DO NOT CHANGE them.
enum class DuplicateLayer : std::uint8_t {
  same_text,       // L0: the same bytes
  same_href,       // L1: the same WHATWG href without fragment
  normalized,      // L2: the same after safe normalisation
  untracked,       // L3: the same without tracking parameters and redirectors
  equivalent,      // L4: the same but for http, www, mobile hosts, other addresses of a site for a page
  same_target,     // L5: the same final URL
  canonical,       // L6: the same canonical URL, as the pages say
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

// Within each file, or also across files: the main links of entries. With `mentions` all links in text, across files.
enum class DuplicateScope { within, across, mentions, off };

struct DuplicateEntry {
  std::size_t link = 0;        // number of the link, as passed to add()
  std::size_t occurrence = 0;  // index into that link's occurrences

  bool operator==(const DuplicateEntry&) const = default;
};

struct DuplicateGroup {
  DuplicateLayer layer = DuplicateLayer::same_text;  // the weakest layer needed to join the group
  bool is_certain = true;               // false: only L3, L4 or L6, and neither redirects nor content confirm it
  std::string shared;                   // the shared URL or digest; of L9 the similarity and the first page
  std::vector<DuplicateEntry> entries;  // at least two, in the order of the lists
  // If not 0, the group is a note that files are parallel lists (translations, copies): `entries` are the first shared
  // link of each file, and this is the number of shared links. Those links are not reported as groups.
  std::size_t shared_links = 0;

  bool operator==(const DuplicateGroup&) const = default;
};

// The file of that rank lists `page`, a number that identifies a page independent of its spelling.
struct Listing {
  std::size_t page = 0;
  std::size_t file = 0;

  bool operator==(const Listing&) const = default;
};

// Finds files that list mostly the same links: translations or copies. Returns for each file the lowest rank in its
// family. Two files are parallel if they share more than half of the pages of each, and at least `min_shared_pages`.
// Files that are parallel to the same file are in one family. `other_pages`: how many more each file lists, which no
// other one does.
inline constexpr std::size_t min_shared_pages = 10;
std::vector<std::size_t> parallel_families(std::vector<Listing> listings, std::vector<std::size_t> other_pages);

// Finds duplicates among links that are added one by one, in any order, with some 100 bytes a link: all links are noted
// first, and those that may be in a group are added then.
// Groups are unions: A and B by one layer, and B and C by another, form one group with the weakest layer needed. A
// group is `certain` if it is connected without L3, L4 and L6; a redirect from one URL to the other is accepted as
// proof. Otherwise its layer is the last of these that was needed. L5 to L9 only use pages that exist (alive,
// redirected), and pages whose main texts are known to differ are not joined by L4 and L6. Entries that differ only in
// their fragment are not duplicates of each other. A body, a text or a canonical URL that more than a few different
// links share is a template (an error page, a wall) and not a duplicate; see near_texts.h for L9. Only the main links
// of entries are compared, unless the scope is `mentions`: badges, mentions and links in prose may be repeated, and are
// only counted. Images, resources and forms are left out. Linear in the number of entries, except for sorting.
class DuplicateFinder {
 public:
  // `rules`: the user's tracking rules in addition to the built-in ones; may be null. `links`: how many there are.
  DuplicateFinder(DuplicateScope scope, const parser::TrackingRules* rules, std::size_t links);
  ~DuplicateFinder();
  DuplicateFinder(const DuplicateFinder&) = delete;
  DuplicateFinder& operator=(const DuplicateFinder&) = delete;

  // What others may share with a link. `url`: its URL, or null if it has none. Thread-safe.
  LinkTraits traits_of(std::size_t number, const storage::Verdict& verdict, const storage::Excerpt& excerpt,
                       const parser::Url* url) const;
  void note(std::size_t number, const storage::CheckedLink& link, bool is_web, const LinkTraits& traits);
  // The links that are to be added, ascending. Call once, after all are noted.
  std::vector<std::uint32_t> candidates();
  void add(std::size_t number, const storage::CheckedLink& link);
  std::vector<DuplicateGroup> take();  // call once, after the last link
  // After take(): how many links that are not main links repeat a page; 0 where they are in the groups.
  std::size_t repeated_mentions() const { return repeated_mentions_; }

 private:
  DuplicateScope scope_;
  const parser::TrackingRules* rules_;
  std::size_t repeated_mentions_ = 0;
  std::unique_ptr<EntryCollector> entries_;
};

}  // namespace linkherd::reports
