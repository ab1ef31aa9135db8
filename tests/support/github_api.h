// A fake of GitHub's GraphQL API. It answers the queries that linkherd sends from the objects that the test
// provides, and imitates GitHub's errors and rate limits.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tests/support/page.h"

namespace linkherd::tests {

class FakeGithub {
 public:
  std::string token = "t0ken-of-a-job";
  std::size_t max_links = 100;      // a query with more gets 502, as GitHub answers queries that take too long
  int remaining_rate_limit = 5000;  // the remaining rate limit; each query costs one
  // The object of the answer as JSON, without nested queried fields. The key is "owner/name" in lower case, or "owner".
  std::map<std::string, std::string> objects;
  // The nested objects. The key is the name as in the query, a space and the text of the field:
  // issueOrPullRequest(number:7), object(expression:"main:a.md").
  std::map<std::string, std::string> nested_objects;
  // The type of the error to return instead of NOT_FOUND, by "owner/name".
  std::map<std::string, std::string> errors;

  // Adds an existing public repository.
  void add(const std::string& full_name, const std::string& description = "");

  Page answer(const ReceivedRequest& request);
};

}  // namespace linkherd::tests
