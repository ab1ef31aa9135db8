#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/list_place.h"
#include "crawler/sources/site_catalog.h"
#include "crawler/sources/site_generators.h"

namespace linkherd::crawler {

namespace {

void set_dialect_of_jekyll(SiteCatalog& sites, parser::DocumentFormat, ListPlace& document) {
  document.parses_block_html = has_markdown_in_html(sites.text_of(document.configuration));
}

}  // namespace

constinit const GeneratorRules jekyll_rules{.generator = SiteGenerator::jekyll, .set_dialect = set_dialect_of_jekyll};

}  // namespace linkherd::crawler
