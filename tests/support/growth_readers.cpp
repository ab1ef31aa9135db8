#include "tests/support/growth_readers.h"

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>

#include "crawler/frontier/robots.h"
#include "crawler/sources/generators/site_roots.h"
#include "parser/enum_names.h"
#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/lists/extract_links.h"
#include "parser/metadata/extract_metadata.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::testing {
namespace {

std::size_t read_list(parser::DocumentFormat format, std::string_view text,
                      parser::SiteGenerator generator = parser::SiteGenerator::none) {
  parser::ExtractOptions options;
  options.include_wikilinks = true;
  options.include_local = true;
  options.base_url = *parser::Url::parse("https://base.org/folder/page");
  std::size_t links = 0;
  parser::DocumentInfo info;
  parser::for_each_link(
      {"list", text, format, generator}, options, [&links](const parser::LinkOccurrence&) { ++links; }, &info);
  return links;
}

// Reads the text as Markdown once per group of site generators that share a dialect.
std::size_t read_dialects(std::string_view text) {
  using enum parser::SiteGenerator;
  std::size_t links = 0;
  for (const auto generator : {jekyll, sphinx, quarto, mkdocs, hugo, mdbook, docusaurus, vitepress, obsidian})
    links += read_list(parser::DocumentFormat::markdown, text, generator);
  return links;
}

std::size_t read_metadata(std::string_view text) {
  const parser::HtmlDocument document = parser::HtmlDocument::parse(text);
  const parser::Url url = *parser::Url::parse("https://base.org/folder/page");
  const Timestamp now = *parse_timestamp("2026-01-01T00:00:00Z");
  const bool has_title = parser::extract_metadata(document, &url, now).title.has_value();
  return parser::main_text(document, std::size_t{1} << 20).text.size() + (has_title ? 1 : 0);
}

// Searches the configuration for the folders of each site generator.
std::size_t read_configuration(std::string_view text) {
  std::size_t folders = 0;
  for (auto generator = parser::SiteGenerator::none; generator <= parser::SiteGenerator::eleventy;
       generator = static_cast<parser::SiteGenerator>(static_cast<int>(generator) + 1)) {
    const crawler::SiteConfiguration configuration{generator, "/site", "/site/configuration"};
    const crawler::SiteRoots roots = find_site_roots(configuration, text, "/site/docs/fr/a.md");
    folders += roots.files.size() + roots.pages.size() + roots.mounts.size();
    crawler::has_common_mark(text);
    folders += crawler::read_sphinx_extra_folders(text).size();
    crawler::is_page_of_sphinx("a.html", text);
  }
  return folders;
}

std::size_t read_robots(std::string_view text) {
  const auto rules = crawler::RobotsRules::parse(text, "linkherd");
  return rules.allows("/" + std::string(200, 'a')) ? 1 : 0;
}

std::size_t read_warc(std::string_view text) {
  std::istringstream stream{std::string(text)};
  storage::WarcReader reader(stream);
  std::size_t records = 0;
  while (reader.next()) ++records;
  return records;
}

}  // namespace

std::size_t run_reader(std::string_view reader, std::string_view text) {
  if (reader == "metadata") return read_metadata(text);
  if (reader == "configuration") return read_configuration(text);
  if (reader == "robots") return read_robots(text);
  if (reader == "warc") return read_warc(text);
  if (reader == "dialects") return read_dialects(text);
  for (const auto& [format, name] : parser::document_format_names) {
    if (reader == name) return read_list(format, text);
  }
  throw std::invalid_argument("no such reader: " + std::string(reader));
}

}  // namespace linkherd::testing
