// Derives fixes for the links of input documents from the stored results of a run. The rules are pure and make no
// request. A link stays as it is unless the evidence is clear.
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
#include "storage/link_result.h"

namespace linkherd::crawler {

// The change for all links of an input document that are written in the same way.
struct LinkFix {
  std::vector<FixKind> kinds;  // at least one
  std::string old_href;        // the checked URL; empty unless the link leads to the web
  std::string new_href;        // the new target; empty if the target stays
  std::string anchor;          // the new fragment, not escaped; empty if the fragment stays
  std::string title;           // the new text; empty if the text stays
};

// may_change() returns true if `fix` may be applied to a link that is written like `occurrence`. Scripts, forms and
// links that the document excludes are never changed. has_listed_title() returns true if the text of the link is the
// title of an entry.
bool may_change(const parser::LinkOccurrence& occurrence, const LinkFix& fix);
bool has_listed_title(const parser::LinkOccurrence& occurrence);

// Identifies the links of an input document as a run found them. The order in which they are added does not matter.
class ListFingerprint {
 public:
  void add(const parser::LinkOccurrence& occurrence);
  bool operator==(const ListFingerprint&) const = default;

 private:
  std::uint64_t links_ = 0;
  std::uint64_t sum_ = 0;  // of hashes, so the order does not matter
};

struct ListFixes {
  std::unordered_map<std::string, LinkFix> by_url;  // by URL as written
  ListFingerprint checked;
};

struct RunFixes {
  std::unordered_map<std::string, ListFixes> lists;  // by document name; also documents without fixes
  std::size_t broken = 0;                            // links that stay broken, each counted once
  std::size_t without_archive = 0;                   // of these, dead links without an archive lookup
  std::size_t without_search = 0;                    // of these, dead links without a search for a new address
};

// Visits each link of a run once, with its occurrences, in any order.
using VisitLink = std::function<void(const storage::CheckedLink& link)>;
using ForEachLink = std::function<void(const VisitLink& visit)>;

// Returns the fixes for a run. `is_accepted`: broken links for which it returns true are not counted; may be empty.
// `rules` may be null. `answered`: the meant_addresses() that have a page. `relocated` writes only new addresses that
// are proven at least at `min_level`.
RunFixes find_fixes(const ForEachLink& for_each_link, const FixKinds& kinds, const parser::TrackingRules* rules,
                    const std::function<bool(const storage::CheckedLink&)>& is_accepted = {},
                    const std::set<std::string>& answered = {},
                    storage::RelocationLevel min_level = storage::RelocationLevel::sure);

// Returns the URLs, without fragments, that targets such as "example.com/x" stand for if no such file exists.
std::set<std::string> meant_addresses(const ForEachLink& for_each_link);

// Returns true if the page of a link was alive when it was checked.
bool page_exists_as_stored(const storage::CheckedLink& link);

// Returns the URL of a page that moved permanently: the end of a chain of permanent redirects. Returns nullopt if the
// page did not move. Also returns nullopt if the target may be another page, such as a home page, a login page or one
// with linkherd's own session.
std::optional<std::string> moved_to(const storage::CheckedLink& link);

}  // namespace linkherd::crawler
