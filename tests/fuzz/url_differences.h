// Explains the known differences between linkherd's URL parser and Node 20's, each by the change of a standard. Node 20
// uses ada 2.9.2 of 2024. Where the two disagree, the data of web-platform-tests decide, and they confirm linkherd's
// result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/fuzz/url_generator.h"

namespace linkherd::parser {

// The href of a text, or nullopt if the parser rejects it.
using UrlAnswer = std::optional<std::string>;

struct KnownDifference {
  std::string_view name;
  std::string_view change;  // the change of a standard that causes the difference
  bool (*explains)(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs);
};

// Returns the row that explains the difference, or nullptr if none does.
const KnownDifference* explain_difference(const UrlText& text, const UrlAnswer& ours, const UrlAnswer& theirs);

}  // namespace linkherd::parser
