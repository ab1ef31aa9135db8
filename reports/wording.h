// Verdicts in words: what is wrong and what to do, for people who do not know the stable words of the machine output.
#pragma once

#include <string>

#include "storage/snapshot.h"
#include "storage/verdict.h"

namespace linkherd::reports {

std::string reason_in_words(const storage::Verdict& verdict);   // "404 Not Found", "no such host"
std::string advice(const storage::Verdict& verdict, const storage::Snapshot& snapshot);  // "replace it or remove it"; may be empty

}  // namespace linkherd::reports
