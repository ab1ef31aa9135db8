#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/list_place.h"
#include "crawler/sources/site_catalog.h"
#include "crawler/sources/site_generators.h"

namespace linkherd::crawler {

namespace {

void set_math(SiteCatalog& sites, parser::DocumentFormat, ListPlace& document) {
  document.has_math = has_math_plugin(sites.text_of(document.configuration));
}

void set_dialect_of_docusaurus(SiteCatalog& sites, parser::DocumentFormat format, ListPlace& document) {
  set_math(sites, format, document);
  if (format == parser::DocumentFormat::markdown && has_common_mark(sites.text_of(document.configuration)))
    document.dialect = SiteGenerator::none;
}

}  // namespace

constinit const GeneratorRules astro_rules{.generator = SiteGenerator::astro, .set_dialect = set_math};

constinit const GeneratorRules docusaurus_rules{
    .generator = SiteGenerator::docusaurus, .set_dialect = set_dialect_of_docusaurus, .root_alias = "@site/"};

}  // namespace linkherd::crawler
