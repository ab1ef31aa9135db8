// The programs that generate web pages from documents. Each reads its own dialect of Markdown.
#pragma once

#include <cstdint>

namespace linkherd::parser {

enum class SiteGenerator : std::uint8_t {
  none,  // GitHub, GitLab or an editor shows the file itself
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
  gatsby,    // an application, like the next two: its own code determines what it generates from Markdown
  next,
  eleventy,
};

constexpr bool is_application(SiteGenerator generator) {
  return generator == SiteGenerator::gatsby || generator == SiteGenerator::next || generator == SiteGenerator::eleventy;
}

// Returns true if the generator makes a page of each document, so that a link may lead to a page.
constexpr bool makes_pages(SiteGenerator generator) {
  return generator != SiteGenerator::none && generator != SiteGenerator::obsidian && !is_application(generator);
}

}  // namespace linkherd::parser
