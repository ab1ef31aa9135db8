// The response of an archive or an API to a request that linkherd itself made.
#pragma once

#include <string_view>

#include "storage/snapshot.h"

namespace linkherd::crawler {

// Refers to values that the caller owns.
struct ApiAnswer {
  const storage::Snapshot& snapshot;  // status, headers and attempts of the response
  std::string_view body;              // decoded
};

}  // namespace linkherd::crawler
