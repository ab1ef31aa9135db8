// Imitates GitHub's GraphQL API: answers the queries of linkherd for the configured repositories, with GitHub's errors
// and limits.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tests/support/page.h"

namespace linkherd::tests {

class GithubStandIn {
 public:
  std::string token = "t0ken-of-a-job";
  std::size_t max_links = 100;  // a query with more is answered with 502, as those that take too long
  int points = 5000;            // each query costs one
  // By "owner/name" in lower case, or "owner": the object of the answer, as JSON, without what is asked of it further.
  std::map<std::string, std::string> known;
  // By the text of the field behind that: issueOrPullRequest(number:7), object(expression:"main:a.md").
  std::map<std::string, std::string> inner;
  // By "owner/name": the type of the error in place of NOT_FOUND.
  std::map<std::string, std::string> errors;

  // A public repository that is there.
  void add(const std::string& full_name, const std::string& description = "");

  Page answer(const SeenRequest& request);
};

}  // namespace linkherd::tests
