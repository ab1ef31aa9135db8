// Detects content drift: a page that has become a different page since it was first read. Examples are a sold domain,
// or a path with other content. Edits, redesigns, new comments and translations do not count, nor do pages that cannot
// be compared. Pure functions.
//
// A page has drifted if all of these hold:
// - Less than 20 % of its text is the same (MinHash), and at least 12 of 64 bits of the SimHash differ.
// - Its title has no specific word of the first title. The name of the site does not count as such.
// - Fewer than half of the words of the first title are in the new metadata, and fewer than half in the new text. If
//   the language has changed, none of them is, and the new metadata does not name the site either.
//
// For example, "Quarry & Quill: letterpress supplies" becomes "Best online casino", with 2 % of the text and none of
// the words. The verdict is `suspect` with confidence 0.8, or 0.7 if the language has changed too.
#pragma once

#include <optional>

#include "crawler/classify/content_mismatch.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Returns true if the page exists and has a title and enough text for a comparison with later checks.
bool is_comparable(const storage::Snapshot& snapshot);

struct LaterCheck {
  const parser::Url& requested;
  const storage::Snapshot& snapshot;
  const VisibleText& visible;
};

// Returns the verdict `suspect`, reason `content_changed`, if the page has drifted; otherwise nullopt. The evidence
// contains both titles and the distance of the texts.
std::optional<storage::Verdict> find_content_drift(const storage::Snapshot& first, const LaterCheck& now);

}  // namespace linkherd::crawler
