// The pages of tests/parser/metadata/pages with what is expected of them, in the order of their names.
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
