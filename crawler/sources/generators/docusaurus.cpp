#include <array>
#include <string_view>

#include "crawler/sources/document_context.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_catalog.h"
#include "crawler/sources/generators/site_generators.h"

namespace linkherd::crawler {

namespace {

constexpr auto docusaurus_files = std::to_array<const char*>(
    {"docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"});

constexpr auto astro_files = std::to_array<const char*>({"astro.config.mjs", "astro.config.ts", "astro.config.js"});

// Returns true if a configuration has a plugin for math (remark-math), or has no text.
bool has_math_plugin(std::string_view configuration) {
  return configuration.empty() || configuration.find("math") != std::string_view::npos ||
         configuration.find("Math") != std::string_view::npos;
}

void set_math(SiteCatalog& sites, parser::DocumentFormat /*format*/, DocumentContext& context) {
  context.has_math = has_math_plugin(sites.text_of(context.configuration));
}

void set_dialect_of_docusaurus(SiteCatalog& sites, parser::DocumentFormat format, DocumentContext& context) {
  set_math(sites, format, context);
  if (format == parser::DocumentFormat::markdown && has_common_mark(sites.text_of(context.configuration)))
    context.dialect = SiteGenerator::none;
}

}  // namespace

constinit const GeneratorRules astro_rules{
    .generator = SiteGenerator::astro, .configurations = astro_files, .set_dialect = set_math};

constinit const GeneratorRules docusaurus_rules{.generator = SiteGenerator::docusaurus,
                                                .configurations = docusaurus_files,
                                                .may_be_beside = true,
                                                .set_dialect = set_dialect_of_docusaurus,
                                                .root_alias = "@site/"};

}  // namespace linkherd::crawler
