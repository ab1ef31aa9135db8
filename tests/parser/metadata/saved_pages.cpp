#include "tests/parser/metadata/saved_pages.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

namespace json = boost::json;

std::string text_or_none(const json::value& value) {
  return value.is_null() ? "none" : json::value_to<std::string>(value);
}

SavedPage read_saved_page(std::filesystem::path file) {
  const json::object expected = json::parse(read_file(file)).as_object();
  return {.name = file.stem().string(),
          .html = read_file(file.replace_extension(".html")),
          .url = json::value_to<std::string>(expected.at("url")),
          .title = text_or_none(expected.at("title")),
          .authors = json::value_to<std::vector<std::string>>(expected.at("authors")),
          .published = text_or_none(expected.at("published")),
          .modified = text_or_none(expected.at("modified"))};
}

}  // namespace

const std::vector<SavedPage>& saved_pages() {
  static const std::vector<SavedPage> pages = [] {
    std::vector<SavedPage> read;
    for (const auto& entry : std::filesystem::directory_iterator(LINKHERD_SAVED_PAGES)) {
      if (entry.path().extension() == ".json") read.push_back(read_saved_page(entry.path()));
    }
    if (read.empty()) throw std::runtime_error("there are no pages in " LINKHERD_SAVED_PAGES);
    std::ranges::sort(read, {}, &SavedPage::name);
    return read;
  }();
  return pages;
}

}  // namespace linkherd::tests
