// Finds entries of the lists that have the same page. Six layers of identity, from `address` (the same URL) to `near`
// (nearly the same main text), define what "the same" means. A group is reported with the layer that connects it.
//
// Example: six entries
//   1  https://a.example/guide
//   2  https://a.example/guide?utm_source=x   without its tracking parameter, the same as entry 1 (equivalent)
//   3  http://www.a.example/guide             differs from entry 1 only in http and www (equivalent)
//   4  https://b.example/old                  redirects to https://a.example/guide (redirect)
//   5  https://c.example/copy                 has the same main text and title as entry 1 (content)
//   6  https://a.example/guide#install        not a duplicate, because only the fragment differs
// Entries 1 to 5 form one group. Equivalent addresses only suggest identity: if entry 2 or 3 does not redirect to
// entry 1 and its content does not agree either, the group is reported as "possibly" the same.
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
  address,     // the same URL after safe normalisation
  equivalent,  // equal except for tracking parameters, redirectors, http/https, www, mobile hosts and other addresses
               // that a site has for a page
  redirect,    // the same final URL
  canonical,   // the same canonical URL, as declared by the pages
  content,     // the same payload, or the same main text and title
  near,        // nearly the same main text
};
inline constexpr std::array<EnumName<DuplicateLayer>, 6> duplicate_layer_names{
    {{DuplicateLayer::address, "address"},
     {DuplicateLayer::equivalent, "equivalent"},
     {DuplicateLayer::redirect, "redirect"},
     {DuplicateLayer::canonical, "canonical"},
     {DuplicateLayer::content, "content"},
     {DuplicateLayer::near, "near"}}};

// Where duplicates are searched: among the main links of entries within each file, or across files; or among all links
// in text across files (`mentions`).
enum class DuplicateScope { within, across, mentions, off };

// An entry of a list: its link, and where it is.
struct EntryLocation {
  std::size_t link = 0;  // number of the link
  std::string url;       // as written
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool operator==(const EntryLocation&) const = default;
};
// Example: "resources.md:99:12", the format that link occurrences have as well.
std::string format_location(const EntryLocation& entry);

struct DuplicateGroup {
  DuplicateLayer layer = DuplicateLayer::address;  // weakest layer that is needed to connect the group
  // False: depends on `equivalent` or `canonical`, and neither redirects nor content confirm it.
  bool is_certain = true;
  std::string shared_value;            // the shared URL or digest; for `near`, the similarity and the first page
  std::vector<EntryLocation> entries;  // at least two, in list order
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
// certain if it is connected without `equivalent` and `canonical`; a redirect from one URL to the other counts as
// proof. The layer of a certain group is the weakest one needed; that of another group is the last of these two that
// was needed.
//
// Some matches are excluded:
//
// - All layers after `equivalent` use only pages that exist (alive, redirected).
// - Pages whose main texts are known to differ are joined neither by `canonical` nor by `equivalent`, unless only
//   tracking parameters and redirectors differ.
// - Entries that differ only in their fragments are not duplicates of each other.
// - A body, text or canonical URL that more than a few different links share is a template, such as an error page or a
//   login wall. For `near`, see near_texts.h.
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
  std::size_t duplicate_mentions() const { return duplicate_mentions_; }

 private:
  DuplicateScope scope_;
  const parser::TrackingRules* rules_;
  std::size_t duplicate_mentions_ = 0;
  std::unique_ptr<EntryCollector> entries_;
};

}  // namespace linkherd::reports
