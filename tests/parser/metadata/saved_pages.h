// The pages of tests/parser/metadata/pages with their expected metadata, in the order of their names.
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
  std::string published;  // "none" if the page has no date
  std::string modified;
};

const std::vector<SavedPage>& saved_pages();

}  // namespace linkherd::tests
