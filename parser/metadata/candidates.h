// What the extractors found, before anything is chosen: every candidate keeps its source and how far that source is
// trusted. Extractors only add; the resolver (resolve.h) only chooses, and notes why.
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
  std::string source;  // a stable word, as in Field
  double trust = 0.0;  // 0 to 1: how often this source is right when it speaks at all
  // What the resolver decided and why, in words: a string literal. Empty: it lost by trust alone.
  std::string_view verdict = {};
  bool may_be_publisher = false;  // of authors: the source credits the publisher itself where no person wrote
};

inline constexpr std::string_view chosen = "chosen";

template <class T>
using CandidateList = std::vector<Candidate<T>>;

struct Candidates {
  CandidateList<std::string> titles;
  CandidateList<std::string> headings;  // visible: h1 and what is marked as the headline
  CandidateList<std::vector<std::string>> authors;
  CandidateList<WrittenDate> published;
  CandidateList<WrittenDate> modified;
  CandidateList<std::string> language;
  CandidateList<std::string> site_name;
  CandidateList<std::string> description;
  CandidateList<std::string> canonical;  // as written; made absolute when it is chosen
  // People and organisations with another role than that of the author.
  CandidateList<std::string> editors;
  CandidateList<std::string> translators;
  CandidateList<std::string> origins;  // 来源, "Quelle": where a text was taken from
};

template <class T>
void add(CandidateList<T>& list, T value, std::string_view source, double trust) {
  // Pages repeat themselves by the thousand only to do harm.
  constexpr std::size_t max_candidates = 200;
  if (list.size() < max_candidates) {
    list.push_back({.value = std::move(value), .source = std::string(source), .trust = trust});
  }
}

}  // namespace linkherd::parser
