// Tests that a page gives the fields of its UTF-8 original in every encoding and with every label.
#include "tests/parser/metadata/charset_variants.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/charset.h"
#include "tests/parser/metadata/extract_fixture.h"
#include "tests/parser/metadata/saved_pages.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::parser;
using namespace linkherd::tests;

namespace {

// The number of variants that were compared.
std::size_t check_twins(std::string_view utf8, std::string_view url) {
  const Metadata original = metadata_of(utf8, url);
  const std::vector<CharsetVariant> twins = charset_variants(utf8);
  for (const CharsetVariant& twin : twins) {
    CAPTURE(twin.name);
    const DecodedText decoded = decode_html(twin.bytes, "");
    CAPTURE(decoded.charset);
    const Metadata metadata = metadata_of(decoded.text, url);
    CHECK(text_of(metadata.title) == text_of(original.title));
    CHECK(names_of(metadata.authors) == names_of(original.authors));
    CHECK(text_of(metadata.published) == text_of(original.published));
    CHECK(text_of(metadata.modified) == text_of(original.modified));
    CHECK(text_of(metadata.language) == text_of(original.language));
    CHECK(text_of(metadata.site_name) == text_of(original.site_name));
    CHECK(text_of(metadata.description) == text_of(original.description));
    CHECK(text_of(metadata.canonical) == text_of(original.canonical));
  }
  return twins.size();
}

// Returns the folder of a collection of real pages, if it is installed: manifest.tsv (lines FILE<TAB>URL) and
// pages.tar.zst.
std::optional<std::filesystem::path> evaluation_folder() {
  const char* named = std::getenv("LINKHERD_EVALUATION");
  const std::filesystem::path folder = named != nullptr ? named : LINKHERD_EVALUATION;
  const bool there =
      std::filesystem::exists(folder / "manifest.tsv") && std::filesystem::exists(folder / "pages.tar.zst");
  return there ? std::optional(folder) : std::nullopt;
}

std::set<std::pair<std::string, std::string>> read_manifest(const std::filesystem::path& file) {
  std::set<std::pair<std::string, std::string>> pages;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) pages.insert({line.substr(0, tab), line.substr(tab + 1)});
  }
  return pages;
}

}  // namespace

TEST_CASE("Chinese pages give the same metadata in GBK and GB18030 and Big5 under any label") {
  std::size_t twins = 0;
  for (const SavedPage& saved : saved_pages()) {
    if (!is_chinese(saved.html)) continue;
    CAPTURE(saved.name);
    twins += check_twins(saved.html, saved.url);
  }
  CHECK(twins > 200);
}

TEST_CASE("real Chinese pages give the same metadata in GBK and GB18030 and Big5 under any label") {
  const auto folder = evaluation_folder();
  if (!folder) {
    MESSAGE("skipped: there are no real pages in " LINKHERD_EVALUATION " (or where LINKHERD_EVALUATION says)");
    return;
  }
  const TempDir unpacked;
  const ProgramResult tar = run_program(
      "/usr/bin/env",
      {.arguments = {"tar", "--zstd", "-xf", (*folder / "pages.tar.zst").string(), "-C", unpacked.path().string()},
       .environment = {},
       .stdin_text = {},
       .working_directory = {}});
  REQUIRE(tar.exit_code == 0);
  std::size_t twins = 0;
  for (const auto& [file, url] : read_manifest(*folder / "manifest.tsv")) {
    const std::string text = decode_html(read_file(unpacked / file), "").text;
    if (!is_chinese(text)) continue;
    CAPTURE(file);
    twins += check_twins(text, url);
  }
  MESSAGE(twins << " twins of real pages");
  CHECK(twins > 0);
}
