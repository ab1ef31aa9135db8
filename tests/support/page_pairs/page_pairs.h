// Labelled pairs of pages, made from the articles in articles.txt. A drift pair is one address at two times; a near
// pair is two addresses at one time, for near duplicates. Every call returns the same pairs.
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
  bool is_positive = false;  // drift: the page became another page; near: the two pages are nearly the same
  MadePage one, other;
};

std::vector<PagePair> drift_pairs();
std::vector<PagePair> near_pairs();

}  // namespace linkherd::tests
