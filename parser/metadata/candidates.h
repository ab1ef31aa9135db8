// The values that extractors found for each field of the metadata. Each candidate has its source and a trust value.
// Extractors only add candidates. The resolver (resolve.h) only chooses, and records its reason.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/metadata/dates/dates.h"

namespace linkherd::parser {

template <class T>
struct Candidate {
  T value;
  std::string source;  // stable name, as in Field
  double trust = 0.0;  // 0 to 1: the share of pages on which this source is right
  // The resolver's decision and its reason, a string literal. Empty if another candidate had more trust.
  std::string_view verdict = {};
  // for authors: true if the source credits the publisher when there is no personal author
  bool may_be_publisher = false;
};

inline constexpr std::string_view chosen = "chosen";

template <class T>
using CandidateList = std::vector<Candidate<T>>;

struct Candidates {
  CandidateList<std::string> titles;
  CandidateList<std::string> headings;  // visible titles: h1 and elements marked as the headline
  CandidateList<std::vector<std::string>> authors;
  CandidateList<WrittenDate> published;
  CandidateList<WrittenDate> modified;
  CandidateList<std::string> language;
  CandidateList<std::string> site_name;
  CandidateList<std::string> description;
  CandidateList<std::string> canonical;  // as written; made absolute when it is chosen
  CandidateList<std::string> doi;
  CandidateList<std::string> arxiv;
  CandidateList<std::string> isbn;
  // People and organisations in roles other than author.
  CandidateList<std::string> editors;
  CandidateList<std::string> translators;
  CandidateList<std::string> origins;  // the original publication: 来源, "Quelle"
};

template <class T>
void add(CandidateList<T>& list, T value, std::string_view source, double trust) {
  // Only hostile pages have more.
  constexpr std::size_t max_candidates = 200;
  if (list.size() < max_candidates) {
    list.push_back({.value = std::move(value), .source = std::string(source), .trust = trust});
  }
}

}  // namespace linkherd::parser
