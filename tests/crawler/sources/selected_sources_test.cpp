// Tests the options of read_sources(): lists that are excluded, unpacked or fetched.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/sources/source.h"
#include "tests/crawler/sources/test_folder.h"
#include "tests/support/gzip_compress.h"

using namespace linkherd;
using namespace linkherd::crawler;
namespace fs = std::filesystem;
using tests::gzip_compress;

namespace {

std::string joined_names(const SourceList& list) {
  std::string text;
  for (const InputDocument& document : list.documents) text += (text.empty() ? "" : " ") + document.file;
  return text;
}

Result<FetchedList> fetched(const std::string& url, const std::string& bytes) {
  return {boost::system::in_place_value, FetchedList{parser::Url::parse(url).value(), "", false, bytes, true}};
}

}  // namespace

TEST_CASE("files are excluded by their path and named") {
  const TestFolder folder;
  for (const char* name : {"a.md", "vendor/b.md", "docs/c.md"}) folder.write(name);
  const auto filter = PathFilter::make({"^vendor/", "c\\.md"});
  REQUIRE(filter.has_value());
  SourceOptions options;
  options.exclude_paths = &*filter;
  const SourceList list = read_sources({".", "docs/c.md"}, options);
  CHECK(joined_names(list) == "a.md");
  REQUIRE(list.skipped.size() == 2);
  CHECK(list.skipped[0] == "docs/c.md: excluded by --exclude-path c\\.md");
  CHECK(list.skipped[1] == "vendor/b.md: excluded by --exclude-path ^vendor/");
  // A folder whose files are all excluded is not an error.
  CHECK(read_sources({"vendor"}, options).documents.empty());
}

TEST_CASE("a folder can be read without asking git") {
  const TestFolder folder;
  for (const char* name : {"a.md", "new.md", "ignored.md"}) folder.write(name);
  folder.write(".gitignore", "ignored.md\n");
  folder.track({"a.md"});
  SourceOptions options;
  CHECK(joined_names(read_sources({"."}, options)) == "a.md");
  options.should_use_git = false;
  CHECK(joined_names(read_sources({"."}, options)) == "a.md new.md");
  // Sources are also reported in this order while they are read.
  std::string taken;
  options.take = [&taken](const InputDocument& document) { taken += document.file + " "; };
  const SourceList list = read_sources({"."}, options);
  CHECK(taken == "a.md new.md ");
  CHECK(list.documents.empty());
  CHECK(list.lists == 2);
}

TEST_CASE("symbolic link loops are named") {
  const TestFolder folder;
  folder.write("a.md");
  fs::create_symlink("loop.md", "loop.md");
  const std::string named = "loop.md: is a symbolic link that leads to itself";
  for (const std::string input : {".", "*.md"}) {
    CAPTURE(input);
    const SourceList list = read_sources({input}, {});
    CHECK(joined_names(list) == "a.md");
    REQUIRE(list.skipped.size() == 1);
    CHECK(list.skipped[0].ends_with(named));
  }
}

TEST_CASE("compressed lists are unpacked up to a limit") {
  const TestFolder folder;
  const std::string sitemap =
      "<urlset><url><loc>https://x.org/1</loc></url><url><loc>https://x.org/2</loc></url></urlset>";
  folder.write("sitemap.xml.gz", gzip_compress(sitemap));
  folder.write("cut.xml.gz", gzip_compress(sitemap).substr(0, 60));
  folder.write("broken.txt.gz", gzip_compress("https://x.org/1 ").substr(0, 10) + std::string(40, '\xFF'));
  folder.write("bomb.txt.gz", gzip_compress("https://x.org/1\n" + std::string(std::size_t{64} << 20, ' ')));
  SourceOptions options;
  options.max_unpacked_bytes = std::size_t{1} << 20;
  const SourceList whole = read_sources({"sitemap.xml.gz"}, options);
  REQUIRE(whole.documents.size() == 1);
  CHECK(whole.documents[0].format == parser::DocumentFormat::xml);
  CHECK(whole.documents[0].text == sitemap);
  CHECK(whole.warnings.empty());
  struct Row {
    std::string file;
    std::string warning;
  };
  const Row rows[] = {
      {"cut.xml.gz", "cut.xml.gz ends in the middle of its compressed data: only the links up to that point are read"},
      {"broken.txt.gz", "broken.txt.gz has broken compressed data: only the links up to that point are read"},
      {"bomb.txt.gz", "bomb.txt.gz is larger than 1 MB when unpacked: only the links up to that point are read"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const SourceList list = read_sources({row.file}, options);
    REQUIRE(list.documents.size() == 1);
    CHECK(list.documents[0].text.size() <= options.max_unpacked_bytes);
    REQUIRE(list.warnings.size() == 1);
    CHECK(list.warnings[0] == row.warning);
  }
  CHECK(read_sources({"bomb.txt.gz"}, options).documents[0].text.starts_with("https://x.org/1\n"));
}

TEST_CASE("lists in other encodings are decoded") {
  const TestFolder folder;
  const std::string text = "https://x.org/1";
  std::string little;
  std::string big;
  for (const char c : text) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  folder.write("le.txt", "\xFF\xFE" + little);
  folder.write("be.txt", "\xFE\xFF" + big);
  folder.write(
      "big5.txt",
      "\xA4\xA4\xA4\xE5\xBA\xF4\xAD\xB6\xA1\x47 https://x.org/1\n\xB3\x6F\xAC\x4F\xA4\xA4\xA4\xE5\xBA\xF4\xAD\xB6\n");
  const SourceList list = read_sources({"le.txt", "be.txt", "big5.txt"}, {});
  REQUIRE(list.documents.size() == 3);
  CHECK(list.documents[0].text == text);
  CHECK(list.documents[1].text == text);
  CHECK(list.documents[2].text.starts_with("中文網頁"));
}

TEST_CASE("web lists are fetched together and resolved against their final URL") {
  const TestFolder folder;
  folder.write("a.md");
  std::vector<std::size_t> asked;
  SourceOptions options;
  options.fetch = [&asked](const std::vector<parser::Url>& urls) {
    asked.push_back(urls.size());
    return std::vector<Result<FetchedList>>{
        fetched("https://x.org/moved/list.md", "[a](b.md)"),
        fetched("https://x.org/sitemap.xml.gz", gzip_compress("<urlset><loc>https://x.org/</loc></urlset>")),
        {boost::system::in_place_value,
         FetchedList{parser::Url::parse("https://x.org/page").value(), "gbk", true, "<a href=x>\xD6\xD0</a>", false}}};
  };
  const std::vector<std::string> inputs = {"https://x.org/list", "a.md", "https://x.org/sitemap.xml.gz",
                                           "https://x.org/page", "https://x.org/list"};
  const SourceList list = read_sources(inputs, options);
  CHECK(asked == std::vector<std::size_t>{3});
  CHECK(joined_names(list) == "https://x.org/list a.md https://x.org/sitemap.xml.gz https://x.org/page");
  CHECK(list.documents[0].format == parser::DocumentFormat::markdown);
  REQUIRE(list.documents[0].base_url.has_value());
  CHECK(list.documents[0].base_url->href() == "https://x.org/moved/list.md");
  CHECK(list.documents[2].format == parser::DocumentFormat::xml);
  CHECK(list.documents[3].format == parser::DocumentFormat::html);
  CHECK(list.documents[3].text == "<a href=x>中</a>");
  REQUIRE(list.unread.size() == 1);
  CHECK(list.unread[0].starts_with("https://x.org/page was received incompletely"));
}

TEST_CASE("a web list that fails is reported and the others are read") {
  const TestFolder folder;
  folder.write("a.md");
  SourceOptions options;
  options.fetch = [](const std::vector<parser::Url>&) {
    return std::vector<Result<FetchedList>>{Error{"HTTP 404"}, fetched("https://x.org/b.md", "[a](b.md)")};
  };
  const SourceList list = read_sources({"HTTPS://me:secret@x.org/list.md", "a.md", "https://me@x.org/b.md"}, options);
  CHECK(joined_names(list) == "a.md https://x.org/b.md");
  REQUIRE(list.unread.size() == 1);
  CHECK(list.unread[0] == "https://x.org/list.md cannot be read: HTTP 404");
}

TEST_CASE("pages of a built site know its folder") {
  const TestFolder folder;
  folder.write("public/index.html", "<a href=/a.html>a</a>");
  folder.write("public/sub/a.html", "<a href=/>up</a>");
  folder.write("public/notes.md", "[up](/)");
  folder.write("sources/index.html", "---\ntitle: Jekyll\n---\n<a href=/assets/x.css>x</a>");
  folder.write("other/a.html", "<a href=/>up</a>");
  for (const InputDocument& document : read_sources({"public", "sources", "other"}, {}).documents) {
    CAPTURE(document.file);
    const bool is_page = document.file == "public/index.html" || document.file == "public/sub/a.html";
    CHECK(document.site == (is_page ? fs::path("public") : fs::path()));
  }
  folder.write("public/package.json", "{}");
  for (const InputDocument& document : read_sources({"public"}, {}).documents) CHECK(document.site.empty());
}
