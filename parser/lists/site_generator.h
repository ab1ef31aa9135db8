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
  gatsby,    // an application, as Next.js: what it makes of Markdown is its own
  next,
};

// Returns true if pages are made of the list files, so that a link may lead to a page.
constexpr bool makes_pages(SiteGenerator generator) {
  return generator != SiteGenerator::none && generator != SiteGenerator::obsidian &&
         generator != SiteGenerator::gatsby && generator != SiteGenerator::next;
}

}  // namespace linkherd::parser
