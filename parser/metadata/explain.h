// Every candidate that the extractors found, with its source, how far it is trusted, and why it won or lost: what
// `linkherd metadata --explain` shows.
#pragma once

#include <string>
#include <vector>

#include "parser/metadata/candidates.h"

namespace linkherd::parser {

struct ExplainedCandidate {
  std::string field;  // as in Metadata; editor, translator and origin are parts that are kept apart from the authors
  std::string value;  // authors joined by "; "
  std::string source;
  double confidence = 0.0;  // of the source; agreement raises that of what is chosen
  std::string verdict;      // "chosen", or why it is not
};

// Of candidates that the resolver has seen, field by field, the choice first.
std::vector<ExplainedCandidate> explain(const Candidates& candidates);

}  // namespace linkherd::parser
