#include "crawler/sources/generators/generator_rules.h"

#include <array>
#include <cstddef>

namespace linkherd::crawler {

namespace {

constexpr GeneratorRules plain_rules(SiteGenerator generator) { return {.generator = generator}; }
constexpr GeneratorRules no_rules = plain_rules(SiteGenerator::none);
constexpr GeneratorRules mkdocs_rules = plain_rules(SiteGenerator::mkdocs);
constexpr GeneratorRules hugo_rules = plain_rules(SiteGenerator::hugo);
constexpr GeneratorRules quarto_rules = plain_rules(SiteGenerator::quarto);
constexpr GeneratorRules vitepress_rules = plain_rules(SiteGenerator::vitepress);
constexpr GeneratorRules vuepress_rules = plain_rules(SiteGenerator::vuepress);
constexpr GeneratorRules pelican_rules = plain_rules(SiteGenerator::pelican);
constexpr GeneratorRules gatsby_rules = plain_rules(SiteGenerator::gatsby);
constexpr GeneratorRules next_rules = plain_rules(SiteGenerator::next);
constexpr GeneratorRules eleventy_rules = plain_rules(SiteGenerator::eleventy);

// In the order of SiteGenerator.
constexpr std::array<const GeneratorRules*, 17> rules{
    &no_rules,      &sphinx_rules,   &mkdocs_rules, &docusaurus_rules, &jekyll_rules,    &hugo_rules,
    &mdbook_rules,  &quarto_rules,   &antora_rules, &astro_rules,      &vitepress_rules, &vuepress_rules,
    &pelican_rules, &obsidian_rules, &gatsby_rules, &next_rules,       &eleventy_rules};

}  // namespace

const GeneratorRules& rules_of(SiteGenerator generator) { return *rules.at(static_cast<std::size_t>(generator)); }

}  // namespace linkherd::crawler
