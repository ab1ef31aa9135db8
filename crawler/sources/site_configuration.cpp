#include "crawler/sources/site_configuration.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// The file or folder that configures a generator. The first one that exists decides.
struct ConfigurationFile {
  const char* name;
  SiteGenerator generator;
};
constexpr std::array<ConfigurationFile, 42> configuration_files{{{"conf.py", SiteGenerator::sphinx},
                                                                 {".sphinx/conf.py", SiteGenerator::sphinx},
                                                                 {"myst.yml", SiteGenerator::sphinx},
                                                                 {"mkdocs.yml", SiteGenerator::mkdocs},
                                                                 {"mkdocs.yaml", SiteGenerator::mkdocs},
                                                                 {"docusaurus.config.js", SiteGenerator::docusaurus},
                                                                 {"docusaurus.config.ts", SiteGenerator::docusaurus},
                                                                 {"docusaurus.config.mjs", SiteGenerator::docusaurus},
                                                                 {"docusaurus.config.cjs", SiteGenerator::docusaurus},
                                                                 {"_config.yml", SiteGenerator::jekyll},
                                                                 {"_config.yaml", SiteGenerator::jekyll},
                                                                 {"_config.toml", SiteGenerator::jekyll},
                                                                 {"hugo.toml", SiteGenerator::hugo},
                                                                 {"hugo.yaml", SiteGenerator::hugo},
                                                                 {"hugo.yml", SiteGenerator::hugo},
                                                                 {"hugo.json", SiteGenerator::hugo},
                                                                 {"config/_default", SiteGenerator::hugo},
                                                                 {"config.toml", SiteGenerator::hugo},
                                                                 {"book.toml", SiteGenerator::mdbook},
                                                                 {"_quarto.yml", SiteGenerator::quarto},
                                                                 {"antora.yml", SiteGenerator::antora},
                                                                 {"astro.config.mjs", SiteGenerator::astro},
                                                                 {"astro.config.ts", SiteGenerator::astro},
                                                                 {"astro.config.js", SiteGenerator::astro},
                                                                 {".vitepress/config.mts", SiteGenerator::vitepress},
                                                                 {".vitepress/config.ts", SiteGenerator::vitepress},
                                                                 {".vitepress/config.mjs", SiteGenerator::vitepress},
                                                                 {".vitepress/config.js", SiteGenerator::vitepress},
                                                                 {".vitepress", SiteGenerator::vitepress},
                                                                 {".vuepress", SiteGenerator::vuepress},
                                                                 {"pelicanconf.py", SiteGenerator::pelican},
                                                                 {".obsidian", SiteGenerator::obsidian},
                                                                 {"gatsby-config.js", SiteGenerator::gatsby},
                                                                 {"gatsby-config.ts", SiteGenerator::gatsby},
                                                                 {"gatsby-config.mjs", SiteGenerator::gatsby},
                                                                 {"next.config.js", SiteGenerator::next},
                                                                 {"next.config.mjs", SiteGenerator::next},
                                                                 {"next.config.ts", SiteGenerator::next},
                                                                 {"eleventy.config.js", SiteGenerator::eleventy},
                                                                 {"eleventy.config.mjs", SiteGenerator::eleventy},
                                                                 {"eleventy.config.cjs", SiteGenerator::eleventy},
                                                                 {".eleventy.js", SiteGenerator::eleventy}}};

// The usual names of the folder of a site whose documents are next to it.
constexpr std::array<const char*, 5> site_folders{"website", "site", "documentation", "docs-site", "docusaurus"};

// Returns true if a script contains the relative path of the folder, or of a folder above it, as a text in quotes.
bool names_documents(std::string_view script, const fs::path& site, const fs::path& documents) {
  constexpr std::size_t max_path_bytes = 200;
  constexpr std::size_t max_paths = 64;
  constexpr std::string_view above = "../";
  std::size_t count = 0;
  for (std::size_t at = script.find(above); at != std::string_view::npos && count < max_paths;
       at = script.find(above, at + above.size()), ++count) {
    const std::string_view rest = script.substr(at, max_path_bytes);
    if (at == 0 || std::string_view("'\"`").find(script[at - 1]) == std::string_view::npos) continue;
    const std::size_t end = rest.find(script[at - 1]);
    if (end == std::string_view::npos) continue;
    const fs::path named = (site / rest.substr(0, end) / "").lexically_normal().parent_path();
    const fs::path below = documents.lexically_relative(named);
    if (!below.empty() && *below.begin() != "..") return true;
  }
  return false;
}

// Returns the site in a folder below `parent` that makes pages of the documents in another folder below it.
SiteConfiguration find_site_beside(const fs::path& parent, const fs::path& documents) {
  constexpr std::size_t max_bytes = std::size_t{1} << 17;
  std::error_code error;
  for (const char* const name : site_folders) {
    const fs::path site = parent / name;
    if (!fs::is_directory(site, error)) continue;
    for (const ConfigurationFile& file : configuration_files) {
      if (file.generator != SiteGenerator::docusaurus || !fs::exists(site / file.name, error)) continue;
      const Result<std::string> script = read_file_start(site / file.name, max_bytes, repository_around(parent));
      if (script && names_documents(*script, site, documents)) return {file.generator, site, site / file.name};
    }
  }
  return {};
}

}  // namespace

SiteConfiguration find_site_configuration(fs::path folder, const std::optional<fs::path>& top) {
  std::error_code error;
  const fs::path documents = folder;
  while (true) {
    if (top && folder != documents) {
      if (SiteConfiguration site = find_site_beside(folder, documents); site.generator != SiteGenerator::none)
        return site;
    }
    const auto exists = [&](const ConfigurationFile& file) { return fs::exists(folder / file.name, error); };
    const auto found = std::ranges::find_if(configuration_files, exists);
    if (found != configuration_files.end()) return {found->generator, folder, folder / found->name};
    if (!top || folder == *top || !folder.has_relative_path()) return {};
    folder = folder.parent_path();
  }
}

}  // namespace linkherd::crawler
