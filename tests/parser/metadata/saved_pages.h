// Reads the pages of tests/parser/metadata/pages with their expected metadata, ordered by name.
#pragma once

#include <string>
#include <vector>

namespace linkherd::tests {

struct SavedPage {
  std::string name;
  std::string html;
  std::string url;
  std::string title;
  std::vector<std::string> authors;
  std::string published;  // "none" where there is none
  std::string modified;
};

const std::vector<SavedPage>& saved_pages();

}  // namespace linkherd::tests
