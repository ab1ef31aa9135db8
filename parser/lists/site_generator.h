// The programs that make pages of list files. Each reads Markdown in a dialect of its own.
#pragma once

#include <cstdint>

namespace linkherd::parser {

enum class SiteGenerator : std::uint8_t {
  none,  // the file is shown as it is: by GitHub, GitLab, an editor
  sphinx,
  mkdocs,
  docusaurus,
  jekyll,
  hugo,  // and Zola
  mdbook,
  quarto,
  antora,
  astro,
  vitepress,
  vuepress,
  pelican,
  obsidian,  // a vault of notes, which is not published
  gatsby,    // an application, as the next two: what it makes of Markdown is its own
  next,
  eleventy,
};

constexpr bool is_application(SiteGenerator generator) {
  return generator == SiteGenerator::gatsby || generator == SiteGenerator::next || generator == SiteGenerator::eleventy;
}

// Returns true if pages are made of the list files, so that a link may lead to a page.
constexpr bool makes_pages(SiteGenerator generator) {
  return generator != SiteGenerator::none && generator != SiteGenerator::obsidian && !is_application(generator);
}

}  // namespace linkherd::parser
