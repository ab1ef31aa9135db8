// The differences between linkherd's URL parser and Node 20's, each with the change of a standard that explains it.
// Node 20 has ada 2.9.2 of 2024. Where the two disagree, the data of web-platform-tests agree with linkherd.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/fuzz/url_generator.h"

namespace linkherd::parser {

// An href, or nothing for a refusal.
using UrlAnswer = std::optional<std::string>;

struct KnownDifference {
  std::string_view name;
  std::string_view change;  // of which standard
  bool (*explains)(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs);
};

// The row that accounts for the difference between the answers; null where none does.
const KnownDifference* explain_difference(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs);

}  // namespace linkherd::parser
