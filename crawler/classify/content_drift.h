// Tells a page that has become another one since it was first read: a sold domain, a path that serves something else.
// Edits, redesigns, added comments, translations, and what cannot be compared are none. Pure functions.
#pragma once

#include <optional>

#include "crawler/classify/content_mismatch.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Whether the page is there with a title and enough text to be compared with later looks.
bool is_comparable(const storage::Snapshot& snapshot);

struct LaterCheck {
  const parser::Url& asked;
  const storage::Snapshot& snapshot;
  const VisibleText& visible;
};

// Returns the verdict `suspect`, reason `content_changed`, with both titles and the distance, if nothing of the page
// that was first read is left: neither its text, nor its title, nor the words of its title in the new text.
std::optional<storage::Verdict> find_content_drift(const storage::Snapshot& first, const LaterCheck& now);

}  // namespace linkherd::crawler
