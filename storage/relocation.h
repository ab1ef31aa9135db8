// The new address of a dead page, for reports and fixes, and how well it is proven to be the same page.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "parser/enum_names.h"
#include "parser/timestamp.h"

namespace linkherd::storage {

// From the weakest to the strongest.
enum class RelocationLevel : std::uint8_t {
  possibly,  // only words agree
  project,   // the site or the repository of the same project
  newer,     // the same work, in another edition or version
  probably,  // the same page as far as can be seen, but not beyond doubt
  sure,      // the same page, at an address that documents may have
};
// Names are printed and stored: DO NOT CHANGE them.
inline constexpr std::array<EnumName<RelocationLevel>, 5> relocation_level_names{
    {{RelocationLevel::possibly, "possibly"},
     {RelocationLevel::project, "project"},
     {RelocationLevel::newer, "newer"},
     {RelocationLevel::probably, "probably"},
     {RelocationLevel::sure, "sure"}}};

// The source of a new address.
enum class RelocationSource : std::uint8_t {
  host_rule,       // a rule for the host, built-in or the user's
  other_pages,     // other pages of the host moved the same way
  old_page,        // a link of the last good copy
  entry,           // another link of the same list entry
  github,          // GitHub's API
  not_found_page,  // a link of the page that is now at the old address
  archive,         // a redirect in a web archive
  sitemap,
  home,  // the site's home page
  feed,
  folder,  // a page above the old address
};
// Names are printed and stored: DO NOT CHANGE them.
inline constexpr std::array<EnumName<RelocationSource>, 11> relocation_source_names{
    {{RelocationSource::host_rule, "host_rule"},
     {RelocationSource::other_pages, "other_pages"},
     {RelocationSource::old_page, "old_page"},
     {RelocationSource::entry, "entry"},
     {RelocationSource::github, "github"},
     {RelocationSource::not_found_page, "not_found_page"},
     {RelocationSource::archive, "archive"},
     {RelocationSource::sitemap, "sitemap"},
     {RelocationSource::home, "home"},
     {RelocationSource::feed, "feed"},
     {RelocationSource::folder, "folder"}}};

// The result of a search for the new address of a dead page.
struct Relocation {
  std::string url;  // of the new page; empty: the search found none
  RelocationLevel level = RelocationLevel::possibly;
  RelocationSource source = RelocationSource::other_pages;
  std::optional<double> similarity;  // of the main texts, 0 to 1; nullopt: they cannot be compared
  std::string evidence;              // text for people: "same title, about 97 % of the text"
  Timestamp searched_at;

  bool operator==(const Relocation&) const = default;
};

}  // namespace linkherd::storage
