// What generators of sites (Sphinx, MkDocs, Docusaurus, Hugo, Jekyll, mdBook …) make of the files of a folder: which
// sources a page may have, and what the links in a source mean.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

using parser::SiteGenerator;

// What makes the pages of a folder, and by what it is configured: in the folder or in one above it, up to `top`;
// nullopt: in it alone.
struct SiteConfiguration {
  SiteGenerator generator = SiteGenerator::none;
  std::filesystem::path folder{};  // that has the configuration; empty: none has
  std::filesystem::path file{};    // or folder, of the configuration
};
SiteConfiguration site_configuration_of(std::filesystem::path folder, const std::optional<std::filesystem::path>& top);

// Returns true if a configuration of Docusaurus (`markdown.format`) makes it read ".md" as CommonMark, not as MDX.
bool has_common_mark(std::string_view configuration);

// Returns true if a configuration of Docusaurus or Astro has a plugin for math (remark-math), or has no text.
bool has_math_plugin(std::string_view configuration);

// Generators read what they need to know of a page from its first lines.
bool has_front_matter(std::string_view text);

// "/guide.md" is a file of the repository, where "/guide" may be a page that a generator makes of one. `path`: of a
// URL.
bool is_source_file(std::string_view path);

// Whether `is_there` holds for a file that the page can be made of: "guide.html" and "guide/" are made of guide.md.
bool any_source_of_page(const std::string& page, const std::function<bool(const std::string& source)>& is_there);

// The folder that links to pages are relative to, where that is not the folder of their source: "a/" for a.md where
// pages are shown as folders; the one above "a" for a/index.md where they are not.
std::filesystem::path folder_of_page(const std::filesystem::path& source);
bool is_index_source(const std::filesystem::path& source);

// "instance-config", "numpy.ndarray": a label or an object's name, as MyST has them in Markdown for Sphinx.
bool is_sphinx_reference(std::string_view name);

// "genindex.html": a page that Sphinx makes of no source, or that its configuration names (html_additional_pages).
// `configuration`: the text of the conf.py beside it.
bool is_page_of_sphinx(std::string_view name, std::string_view configuration);

// "_static/x.css", "../_images/x.png": a path in a folder that Sphinx fills beside the pages.
bool is_in_output_of_sphinx(std::string_view path);

// Whether a configuration has the path of a folder, as "auto_examples" for the pages that an extension makes.
bool names_folder(std::string_view configuration, std::string_view folder);

// The folders whose files Sphinx copies beside the pages (html_extra_path), relative to its configuration.
std::vector<std::string> extra_folders_of_sphinx(std::string_view configuration);

// Returns true if none of its first thousand files is a page.
bool has_no_pages(const std::filesystem::path& folder);

}  // namespace linkherd::crawler
