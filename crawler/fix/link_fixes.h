// What a run of `check` says that the links of its lists should be instead: pure rules on what is stored, without a
// request. A link is left as it is wherever the evidence is not plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/fix/fix_kinds.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/canonical.h"
#include "storage/run.h"

namespace linkherd::crawler {

// What is to become of all links of a list that are written in one way.
struct LinkFix {
  std::vector<FixKind> kinds;  // at least one
  std::string old_href;        // of a link to the web, as it was checked; else empty
  std::string new_href;        // where it leads afterwards; empty if that stays
  std::string anchor;          // the fragment that it should have, not escaped; or empty
  std::string title;           // the text that it should have; empty if that stays
};

// Whether a link that is written like that may be changed as `fix` says, and whether its text is one that lists a page.
// Scripts, forms and what a list excludes are left alone.
bool may_change(const parser::LinkOccurrence& occurrence, const LinkFix& fix);
bool has_listed_title(const parser::LinkOccurrence& occurrence);

// The links of a list as a run found them, in any order.
class ListFingerprint {
 public:
  void add(const parser::LinkOccurrence& occurrence);
  bool operator==(const ListFingerprint&) const = default;

 private:
  std::uint64_t links_ = 0;
  std::uint64_t sum_ = 0;  // of hashes: what is read in another order is equal
};

struct ListFixes {
  std::unordered_map<std::string, LinkFix> by_url;  // as it is written
  ListFingerprint checked;
};

struct RunFixes {
  std::unordered_map<std::string, ListFixes> lists;  // by name; also those without anything to change
  std::size_t broken = 0;                            // links that stay broken, each counted once
  std::size_t without_archive = 0;                   // of these: dead, and no archive was asked
};

// Visits each link of a run once, with its occurrences, in any order.
using VisitLink = std::function<void(const storage::CheckedLink& link)>;
using ForEachLink = std::function<void(const VisitLink& visit)>;

// Broken links that `is_accepted`, which may be empty, returns true for are not counted. `rules` may be null.
// `answered`: the meant_addresses() that have a page.
RunFixes find_fixes(const ForEachLink& for_each_link, const FixKinds& kinds, const parser::TrackingRules* rules,
                    const std::function<bool(const storage::CheckedLink&)>& is_accepted = {},
                    const std::set<std::string>& answered = {});

// The addresses, without fragments, that targets such as "example.com/x" mean if there is no such file.
std::set<std::string> meant_addresses(const ForEachLink& for_each_link);

// Returns true if the page of a link was there when it was checked.
bool is_there_as_stored(const storage::CheckedLink& link);

// Where a page is that moved for good: the end of a chain of permanent redirects, unless that may be another page (a
// home or login page, one with a session of ours). Nullopt if it did not move, or that is not sure.
std::optional<std::string> moved_to(const storage::CheckedLink& link);

}  // namespace linkherd::crawler
