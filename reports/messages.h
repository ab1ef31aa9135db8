// Human-readable texts for links, positions, counts, times and verdicts, without the stable names of the
// machine-readable output. Texts are not escaped; the caller escapes what it prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/timestamp.h"
#include "reports/duplicates.h"
#include "reports/report.h"
#include "storage/link_result.h"
#include "storage/run.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::reports {

// Returns the URL that is fetched, without fragment. Returns the text as written if it is not a URL.
std::string_view link_url(const storage::CheckedLink& link);

// Example: "resources.md:99:12", the format that editors and terminals can open.
std::string format_location(const parser::LinkOccurrence& occurrence);

std::string capitalised(std::string text);  // "Recovered"

// Examples: "1 link", "3 links".
std::string counted(std::size_t number, std::string_view noun);

std::string format_size(std::uint64_t bytes);  // "14 bytes", "3.2 MiB"

std::string day(Timestamp time);     // "2026-03-05"
std::string minute(Timestamp time);  // "2026-03-05 10:20 UTC"

// Example: "the certificate ends on 2026-03-05, in 9 days".
std::string describe_ending(const EndingCertificate& certificate, Timestamp now);

// Examples: "a.md, docs and 3 more"; "this folder" for "."; "inputs that a file names" if no input was named.
std::string describe_inputs(const std::vector<std::string>& inputs);

std::string describe_reason(const storage::Verdict& verdict);  // "404 Not Found", "no such host"
// The advice for a deep link that leads to the front page of its site.
inline constexpr std::string_view front_page_advice =
    "leads only to the front page: check whether the page still exists";
std::string advice(const storage::LinkResult& result);  // "replace it or remove it"; may be empty

// Describes what is wrong, with the expiry date of the certificate, or the time since when the link fails.
std::string explained(const storage::CheckedLink& link);

// Describes the state of a link in the earlier run.
std::string_view describe_before(const LinkChange& change);

// Examples: "newly broken", "recovered".
std::string_view describe_change(Change change);

// Examples: "since run 3 of 2026-03-04: 2 newly broken, 1 recovered, 5 still broken or suspect"; "since run 3 of
// 2026-03-04: nothing changed".
std::string describe_changes(const Changes& changes);

// Example: "the repository is archived; the page moved". Empty if the page has no facts.
std::string describe_facts(const storage::Snapshot& snapshot);

// Returns the archived copy to suggest for a dead link, or nullptr if there is none.
const storage::ArchivedCopy* suggested_copy(const storage::CheckedLink& link);

// Returns the new address to suggest for a dead link, or nullptr if there is none.
const storage::Relocation* suggested_relocation(const storage::CheckedLink& link);

// The words before and after the new address. Examples: "probably moved to", "the project is now at"; "same title,
// about 97 % of the text; found in the site's sitemap".
std::string_view describe_level(storage::RelocationLevel level);
std::string describe_evidence(const storage::Relocation& relocation);
// Example: "probably moved to docs.good.herd/guide: same title, about 97 % of the text; found in the site's sitemap".
std::string describe_relocation(const storage::Relocation& relocation);

// Returns a URL in readable form: escapes of printable characters beyond ASCII are decoded, and so is punycode, unless
// the name would imitate another one. Anything else stays as written, including text that is not a URL.
std::string readable_url(std::string_view written);

// Returns true if `words` equals `name`, except for a capital letter.
bool differs_only_in_capital(std::string_view words, std::string_view name);

// Example: "Metadata of 241 pages: 239 titles, 180 authors, 201 dates".
std::string describe_metadata(const Summary& counts);

// Example: "3 pages were checked with a browser".
std::string describe_browser_checks(const Summary& counts);

// Examples: "zhuanlan.zhihu.com, 28 s: 139 links at 5 per second", "good.herd, 41 s: 429, asked to wait".
std::string describe_pace(const storage::PaceBound& bound);

// Rounds up: "0 s", "41 s", "5m".
std::string whole_seconds(Duration duration);

// Examples: "same address", "same page after redirects", "equivalent address, possibly".
std::string describe_layer(DuplicateLayer layer, bool is_certain);

}  // namespace linkherd::reports
