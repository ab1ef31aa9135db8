#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/document_context.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_catalog.h"
#include "crawler/sources/generators/site_roots.h"

namespace linkherd::crawler {

namespace {

constexpr auto jekyll_files = std::to_array<const char*>({"_config.yml", "_config.yaml", "_config.toml"});

// Returns true if kramdown reads the Markdown in blocks of HTML (parse_block_html).
bool has_markdown_in_html(std::string_view configuration) {
  const std::vector<std::string> values = configured_texts(configuration, "parse_block_html");
  return !values.empty() && values.back() == "true";
}

void set_dialect_of_jekyll(SiteCatalog& sites, parser::DocumentFormat /*format*/, DocumentContext& context) {
  context.parses_block_html = has_markdown_in_html(sites.text_of(context.configuration));
}

}  // namespace

constinit const GeneratorRules jekyll_rules{
    .generator = SiteGenerator::jekyll, .configurations = jekyll_files, .set_dialect = set_dialect_of_jekyll};

}  // namespace linkherd::crawler
