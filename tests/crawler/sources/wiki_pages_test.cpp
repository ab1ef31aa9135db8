// Tests which page a wikilink means.
#include "crawler/sources/generators/wiki_pages.h"

#include <string>

#include <doctest/doctest.h>

#include "parser/lists/extract_links.h"
#include "tests/crawler/sources/test_folder.h"

using namespace linkherd;
using namespace linkherd::crawler;
namespace fs = std::filesystem;

namespace {

// Returns the path of each [[link]] of the text, relative to the folder, with "!" if the link has a note.
std::string resolved(WikiPages& pages, const std::string& text, bool is_vault = false) {
  parser::ExtractOptions options;
  options.include_wikilinks = options.include_local = true;
  const fs::path root = fs::current_path() / "wiki";
  const std::string prefix = "file://" + root.string() + "/";
  std::string all;
  parser::for_each_link({"Home.md", text, parser::DocumentFormat::markdown}, options,
                        [&](parser::LinkOccurrence& link) {
                          pages.resolve(root / "Home.md", root, is_vault, link);
                          if (!all.empty()) all += ' ';
                          all += link.href.starts_with(prefix) ? link.href.substr(prefix.size()) : link.href;
                          if (!link.notes.empty()) all += '!';
                        });
  return all;
}

}  // namespace

TEST_CASE("a wikilink resolves to the page of its name in any folder") {
  const TestFolder folder;
  for (const char* file :
       {"Home.md", "Dash-Usage.md", "deep/down/Node.js Notes.md", "deep/pic.png", "a/Same.md", "b/Same.md", "说明.md"})
    folder.write(std::string("wiki/") + file);
  WikiPages pages;
  CHECK(resolved(pages, "[[Dash Usage]]") == "Dash-Usage.md");
  CHECK(resolved(pages, "[[dash-usage]]") == "Dash-Usage.md");
  CHECK(resolved(pages, "[[Dash Usage#Some Heading!|words]]") == "Dash-Usage.md#some-heading");
  CHECK(resolved(pages, "[[words|Dash Usage]]") == "Dash-Usage.md");
  CHECK(resolved(pages, "[[Dash Usage^block]]") == "Dash-Usage.md");
  CHECK(resolved(pages, "[[Node.js Notes]]") == "deep/down/Node.js%20Notes.md");
  CHECK(resolved(pages, "[[deep/down/Node.js Notes.md]]") == "deep/down/Node.js%20Notes.md");
  CHECK(resolved(pages, "[[pic.png]]") == "deep/pic.png");
  CHECK(resolved(pages, "![[pic.png|200]] ![[Dash Usage#Part]]") == "deep/pic.png Dash-Usage.md#part");
  CHECK(resolved(pages, "[[down/Node.js Notes]] [[/b/Same]]") == "deep/down/Node.js%20Notes.md b/Same.md");
  CHECK(resolved(pages, "[[./b/Same]] [[./a/../Dash Usage]] [[./Gone]]") == "b/Same.md Dash-Usage.md Gone");
  CHECK(resolved(pages, "| a |\n|---|\n| [[Dash Usage\\|x]] |") == "Dash-Usage.md");
  CHECK(resolved(pages, "[[Dash Usage#One#Two]]") == "Dash-Usage.md#two");
  CHECK(resolved(pages, "[[Dash Usage#^ab1]] [[#^c]] [[Dash Usage^b]]", true) ==
        "Dash-Usage.md#^ab1 Home.md#^c Dash-Usage.md#^b");
  CHECK(resolved(pages, "[[b/Same]] [[Same]]") == "b/Same.md a/Same.md");
  CHECK(resolved(pages, "[[说明]]") == "%E8%AF%B4%E6%98%8E.md");
  CHECK(resolved(pages, "[[#Part One]]") == "Home.md#part-one");
  CHECK(resolved(pages, "[[Gone]] [[ASP.NET]]") == "Gone ASP.NET");  // missing files
  CHECK(resolved(pages, "[[https://x.org/a]]") == "https://x.org/a");
  CHECK(resolved(pages, "[[../../etc/passwd]]").find("etc/passwd") != std::string::npos);  // unreadable files
}
