// Verdicts in words: what is wrong and what to do, for people who do not know the stable words of the machine output.
#pragma once

#include <string>
#include <string_view>

#include "reports/duplicates.h"
#include "reports/report.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::reports {

std::string reason_in_words(const storage::Verdict& verdict);  // "404 Not Found", "no such host"
std::string advice(const storage::Verdict& verdict,
                   const storage::Snapshot& snapshot);  // "replace it or remove it"; may be empty

// "zhuanlan.zhihu.com: 139 links at 5/s = 28 s".
std::string pace_in_words(const PaceBound& bound);

// "same address", "same page after redirects", "same without tracking parameters, possibly".
std::string layer_in_words(DuplicateLayer layer, bool certain);

}  // namespace linkherd::reports
