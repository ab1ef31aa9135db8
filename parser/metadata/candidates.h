// The candidates that the extractors found. Each has its source and a trust value. Extractors only add candidates; the
// resolver (resolve.h) only chooses and records the reason.
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
  double trust = 0.0;  // 0 to 1: how often this source is right
  // The decision of the resolver and its reason (a string literal). Empty: lost by trust alone.
  std::string_view verdict = {};
  bool may_be_publisher = false;  // for authors: the source credits the publisher if there is no personal author
};

inline constexpr std::string_view chosen = "chosen";

template <class T>
using CandidateList = std::vector<Candidate<T>>;

struct Candidates {
  CandidateList<std::string> titles;
  CandidateList<std::string> headings;  // visible: h1 and elements marked as the headline
  CandidateList<std::vector<std::string>> authors;
  CandidateList<WrittenDate> published;
  CandidateList<WrittenDate> modified;
  CandidateList<std::string> language;
  CandidateList<std::string> site_name;
  CandidateList<std::string> description;
  CandidateList<std::string> canonical;  // as written; resolved when it is chosen
  CandidateList<std::string> doi;
  CandidateList<std::string> arxiv;
  CandidateList<std::string> isbn;
  // People and organisations with other roles than author.
  CandidateList<std::string> editors;
  CandidateList<std::string> translators;
  CandidateList<std::string> origins;  // 来源, "Quelle": the original publication
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
