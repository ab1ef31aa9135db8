// Tests the five seed lists, and the original lists they were made from if available.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/charset.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
namespace fs = std::filesystem;

namespace {

struct List {
  std::string file;
  std::size_t occurrences;
};

const std::vector<List> lists{{"awesome-blogs.md", 17},
                              {"resources.md", 83},
                              {"bookmarks.txt", 103},
                              {"llm-resource.md", 39},
                              {"infra-blogs.md", 11}};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<LinkOccurrence> links_in(const fs::path& path) {
  const std::string text = decode_text(read(path)).text;
  return links_of(text, detect_document_format(path.filename().string(), text));
}

struct SeedListsRow {
  std::string file;
  std::string line;
  std::string url;

  bool operator==(const SeedListsRow&) const = default;
};

// Returns the rows of links.tsv: file, line, URL as written.
std::map<std::string, std::vector<SeedListsRow>> expected_rows(const fs::path& path) {
  std::map<std::string, std::vector<SeedListsRow>> rows;
  std::istringstream text(read(path));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    SeedListsRow row;
    REQUIRE(std::getline(fields, row.file, '\t'));
    REQUIRE(std::getline(fields, row.line, '\t'));
    REQUIRE(std::getline(fields, row.url, '\t'));
    rows[row.file].push_back(std::move(row));
  }
  return rows;
}

// Returns the folder of the original files, or an empty string.
fs::path originals() {
  const char* named = std::getenv("LINKHERD_ORIGINAL_SEEDS");
  const fs::path folder =
      named != nullptr ? fs::path(named) : fs::path(LINKHERD_SOURCE_DIR).parent_path() / "shared" / "seeds";
  return fs::exists(folder / "links.tsv") ? folder : fs::path();
}

}  // namespace

TEST_CASE("the seed lists hold 253 links") {
  std::size_t all = 0;
  for (const List& list : lists) {
    CAPTURE(list.file);
    const std::vector<LinkOccurrence> links = links_in(fs::path(LINKHERD_SOURCE_DIR) / "seeds" / list.file);
    CHECK(links.size() == list.occurrences);
    all += links.size();
    for (const LinkOccurrence& link : links) {
      CAPTURE(link.url);
      CHECK((link.href.starts_with("http") || link.has(LinkNote::missing_scheme)));
      CHECK((link.element == LinkElement::link || link.element == LinkElement::bare));
      // Only bookmarks without a title have no text.
      CHECK((!link.text.empty() || list.file == "bookmarks.txt"));
    }
  }
  CHECK(all == 253);
  CHECK(links_in(fs::path(LINKHERD_SOURCE_DIR) / "seeds" / "README.md").empty());
}

TEST_CASE("faults in the seed lists are noted") {
  std::vector<std::string> missing_scheme;
  std::vector<std::string> unbalanced;
  for (const List& list : lists) {
    for (const LinkOccurrence& link : links_in(fs::path(LINKHERD_SOURCE_DIR) / "seeds" / list.file)) {
      if (link.has(LinkNote::missing_scheme)) missing_scheme.push_back(link.url);
      if (link.has(LinkNote::unbalanced_bracket)) unbalanced.push_back(link.text);
      CHECK_FALSE(link.has(LinkNote::placeholder));
      CHECK(link.has(LinkNote::relative) == link.has(LinkNote::missing_scheme));
      CHECK_FALSE(link.has(LinkNote::invalid_url));
    }
  }
  CHECK(missing_scheme ==
        std::vector<std::string>{"newsletter.maartengrootendorst.com/p/a-visual-guide-to-mixture-of-experts"});
  CHECK(unbalanced == std::vector<std::string>{"Transformer模型详解（图解最完整版"});
}

TEST_CASE("the original lists give exactly the rows of links.tsv") {
  const fs::path folder = originals();
  if (folder.empty()) return;
  const std::map<std::string, std::vector<SeedListsRow>> expected = expected_rows(folder / "links.tsv");
  for (const List& list : lists) {
    CAPTURE(list.file);
    std::vector<SeedListsRow> found;
    std::vector<std::string> urls;
    for (const LinkOccurrence& link : links_in(folder / list.file)) {
      found.push_back({list.file, std::to_string(link.line), link.url});
      urls.push_back(link.url);
    }
    CHECK(found == expected.at(list.file));
    std::vector<std::string> shipped;
    for (const LinkOccurrence& link : links_in(fs::path(LINKHERD_SOURCE_DIR) / "seeds" / list.file))
      shipped.push_back(link.url);
    CHECK(shipped == urls);
  }
}
