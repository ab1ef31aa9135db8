// How a check builds on the previous one of the same link.
#pragma once

#include <optional>

#include "crawler/fetch/http/fetch_request.h"
#include "parser/metadata/metadata.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// Returns the validators for a conditional request, or nullopt if only a full response can tell more. A damaged store
// cannot inject header fields.
std::optional<Validators> validators_of(const storage::Snapshot& previous);

// Copies data of the previous check to `now` if the page is unchanged since (304), no longer alive, or not harvested.
void carry_over_previous(const storage::Snapshot& previous, storage::Snapshot& now, parser::Harvest harvest);

// Makes a 404 suspect if its text equals that of the page when it was alive.
void doubt_unchanged_page(const storage::Snapshot& previous, storage::Snapshot& now);

}  // namespace linkherd::crawler
