// Tests how the format of a list follows from its name and then its content.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

struct DocumentFormatRow {
  std::string name;
  std::string text;
  std::string format;
};

void check_document_format(const std::vector<DocumentFormatRow>& rows) {
  for (const DocumentFormatRow& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.text);
    CHECK(std::string(enum_name(document_format_names, detect_document_format(row.name, row.text))) == row.format);
  }
}

}  // namespace

TEST_CASE("a file name decides the format of a list") {
  check_document_format({{"a.md", "{}", "markdown"},
                         {"a/README.MD", "", "markdown"},
                         {"docs/a\\.md", "{}", "markdown"},
                         {"a.html", "", "html"},
                         {"a.txt", "{}", "text"},
                         {"a.rst", "", "rst"},
                         {"a.adoc", "", "asciidoc"},
                         {"a.org", "", "org"},
                         {"a.ipynb", "", "notebook"},
                         {"a.csv", "", "csv"},
                         {"a.tsv", "", "csv"},
                         {"a.json", "", "json"},
                         {"a.jsonl", "", "jsonl"},
                         {"a.ndjson", "", "jsonl"},
                         {"a.yml", "", "yaml"},
                         {"a.yaml", "", "yaml"},
                         {"CITATION.cff", "", "yaml"},
                         {"llms.txt", "", "markdown"},
                         {"docs/LLMS-full.txt", "", "markdown"},
                         {"llms", "a", "text"},
                         {"a.svg", "", "xml"},
                         {"a.csproj", "", "xml"},
                         {"a.nuspec", "", "xml"},
                         {"a.xaml", "", "xml"},
                         {"a.plist", "", "xml"},
                         {"a.toml", "", "toml"},
                         {"a.bib", "", "bibtex"},
                         {"a.ris", "", "ris"},
                         {"a.opml", "", "xml"},
                         {"feed.rss", "", "xml"},
                         {"a.atom", "", "xml"},
                         {"sitemap.xml", "", "xml"},
                         {"sitemap.xml.gz", "", "xml"},
                         {".md", "", "text"},
                         {"LICENSE", "", "text"},
                         {"a.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>", "bookmarks"}});
}

TEST_CASE("the content decides the format of a list without a known name") {
  check_document_format({{"-", "<!doctype html><p>", "html"},
                         {"-", "\n <!-- x --><HTML>", "html"},
                         {"-", "<?xml version='1.0'?>\n<!-- x --><rss>", "xml"},
                         {"-", "<feed xmlns='x'>", "xml"},
                         {"-", "<opml>", "xml"},
                         {"-", "<urlset>", "xml"},
                         {"-", "<sitemapindex>", "xml"},
                         {"-", "<!DOCTYPE NETSCAPE-Bookmark-file-1>", "bookmarks"},
                         {"-", "<?xml version='1.0'?><!DOCTYPE html><html>", "html"},
                         {"-", "{\"a\": 1}", "json"},
                         {"-", "[\n \"a\"]", "json"},
                         {"-", "[{\"a\": 1}]", "json"},
                         {"-", "{\"a\": 1}\n{\"a\": 2}\n", "jsonl"},
                         {"-", "{\"cells\": [], \"nbformat\": 4}", "notebook"},
                         {"-", "[a](b)", "text"},
                         {"-", "[[a]]", "text"},
                         {"-", "{a}", "text"},
                         {"-", "@article{k, url={x}}", "bibtex"},
                         {"-", "@someone https://x.org", "text"},
                         {"-", "\nTY  - JOUR\n", "ris"},
                         {"-", "", "text"}});
}

TEST_CASE("a sitemap index is recognised by its beginning") {
  CHECK(is_sitemap_index("<?xml version='1.0'?><sitemapindex xmlns='x'>"));
  CHECK_FALSE(is_sitemap_index("<urlset><url/></urlset>"));
  CHECK_FALSE(is_sitemap_index(std::string(5000, ' ') + "<sitemapindex>"));
}

TEST_CASE("folders yield prose formats and no data formats") {
  for (const char* name : {"a.md", "a.qmd", "a.Rmd", "a.html", "a.css", "a.txt", "a.rst", "a.adoc", "a.org", "a.ipynb"})
    CHECK(prose_format_for_extension(name).has_value());
  for (const char* name : {"a.json", "a.yaml", "a.toml", "a.csv", "a.xml", "a.opml", "a.bib", "a", "a.png"})
    CHECK_FALSE(prose_format_for_extension(name).has_value());
}
