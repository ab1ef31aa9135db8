// Labelled pairs of pages made from the articles in articles.txt: one URL at two times for drift, and two URLs at one
// time for near duplicates. The pairs are the same in every run.
#pragma once

#include <string>
#include <vector>

namespace linkherd::tests {

struct MadePage {
  std::string url;
  std::string html;
};

struct PagePair {
  std::string kind;
  bool is_positive = false;  // the page became another one; the two pages are nearly the same
  MadePage one, other;
};

std::vector<PagePair> drift_pairs();
std::vector<PagePair> near_pairs();

}  // namespace linkherd::tests
