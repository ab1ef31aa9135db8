#include "crawler/sources/generators/generator_rules.h"

#include <array>
#include <cstddef>

namespace linkherd::crawler {

namespace {

constexpr auto mkdocs_files = std::to_array<const char*>({"mkdocs.yml", "mkdocs.yaml"});
constexpr auto hugo_files =
    std::to_array<const char*>({"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default", "config.toml"});
constexpr auto quarto_files = std::to_array<const char*>({"_quarto.yml"});
constexpr auto vitepress_files = std::to_array<const char*>(
    {".vitepress/config.mts", ".vitepress/config.ts", ".vitepress/config.mjs", ".vitepress/config.js", ".vitepress"});
constexpr auto vuepress_files = std::to_array<const char*>({".vuepress"});
constexpr auto pelican_files = std::to_array<const char*>({"pelicanconf.py"});
constexpr auto gatsby_files = std::to_array<const char*>({"gatsby-config.js", "gatsby-config.ts", "gatsby-config.mjs"});
constexpr auto next_files = std::to_array<const char*>({"next.config.js", "next.config.mjs", "next.config.ts"});
constexpr auto eleventy_files =
    std::to_array<const char*>({"eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs", ".eleventy.js"});

constexpr GeneratorRules no_rules;
constexpr GeneratorRules mkdocs_rules{.generator = SiteGenerator::mkdocs, .configurations = mkdocs_files};
constexpr GeneratorRules hugo_rules{.generator = SiteGenerator::hugo, .configurations = hugo_files};
constexpr GeneratorRules quarto_rules{.generator = SiteGenerator::quarto, .configurations = quarto_files};
constexpr GeneratorRules vitepress_rules{.generator = SiteGenerator::vitepress, .configurations = vitepress_files};
constexpr GeneratorRules vuepress_rules{.generator = SiteGenerator::vuepress, .configurations = vuepress_files};
constexpr GeneratorRules pelican_rules{.generator = SiteGenerator::pelican, .configurations = pelican_files};
constexpr GeneratorRules gatsby_rules{.generator = SiteGenerator::gatsby, .configurations = gatsby_files};
constexpr GeneratorRules next_rules{.generator = SiteGenerator::next, .configurations = next_files};
constexpr GeneratorRules eleventy_rules{.generator = SiteGenerator::eleventy, .configurations = eleventy_files};

// In the order of SiteGenerator.
constexpr std::array<const GeneratorRules*, 17> rules{
    &no_rules,      &sphinx_rules,   &mkdocs_rules, &docusaurus_rules, &jekyll_rules,    &hugo_rules,
    &mdbook_rules,  &quarto_rules,   &antora_rules, &astro_rules,      &vitepress_rules, &vuepress_rules,
    &pelican_rules, &obsidian_rules, &gatsby_rules, &next_rules,       &eleventy_rules};

}  // namespace

const GeneratorRules& rules_of(SiteGenerator generator) { return *rules.at(static_cast<std::size_t>(generator)); }

std::span<const GeneratorRules* const> all_rules() { return rules; }

}  // namespace linkherd::crawler
