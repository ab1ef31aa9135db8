// Knows what site generators (Sphinx, MkDocs, Docusaurus, Hugo, Jekyll, mdBook …) make of the files of a folder: the
// possible sources of a page, and the meaning of the links in a source.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/generators/site_configuration.h"

namespace linkherd::crawler {

// Returns true if a configuration of Docusaurus (`markdown.format`) makes it read ".md" as CommonMark, not as MDX.
bool has_common_mark(std::string_view configuration);

// Returns true if the text begins with front matter. Generators read the properties of a page from it.
bool has_front_matter(std::string_view text);

// Returns true if the path of a URL names a source file. "/guide.md" is a file of the repository, while "/guide" may be
// a page that a generator makes of one.
bool is_source_file(std::string_view path);

// Returns true if `exists` returns true for a file that the page can be made of. "guide.html" and "guide/" are made
// of guide.md.
bool any_source_of_page(const std::string& page, const std::function<bool(const std::string& source)>& exists);

// Returns the folder that relative links to pages start from, if pages are not in the folder of their source. For a.md
// this is "a/", if pages are shown as folders. For a/index.md it is the folder above "a", if they are not.
std::filesystem::path folder_of_page(const std::filesystem::path& source);
bool is_index_source(const std::filesystem::path& source);

// Returns true for a page that Sphinx makes without a source ("genindex.html"), or that its configuration names
// (html_additional_pages). `configuration` is the text of the conf.py in its folder.
bool is_page_of_sphinx(std::string_view name, std::string_view configuration);

// Returns the folders whose files Sphinx copies to its pages (html_extra_path), relative to the configuration.
std::vector<std::string> read_sphinx_extra_folders(std::string_view configuration);

}  // namespace linkherd::crawler
