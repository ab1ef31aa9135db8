#include <algorithm>
#include <array>
#include <string>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/file_cache.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_catalog.h"
#include "crawler/sources/generators/site_generators.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr auto sphinx_files = std::to_array<const char*>({"conf.py", ".sphinx/conf.py", "myst.yml"});

// MyST has labels and names of objects in Markdown.
void set_dialect_of_sphinx(SiteCatalog& /*sites*/, parser::DocumentFormat format, DocumentContext& context) {
  context.has_references = parser::is_markdown(format);
}

// Returns the paths in the folders that Sphinx copies to its pages.
std::vector<fs::path> extra_paths(const MissingFile& missing) {
  std::vector<fs::path> paths;
  const SiteConfiguration& configuration = missing.context.configuration;
  if (!is_below(configuration.folder, missing.path)) return paths;
  const fs::path relative = missing.path.lexically_relative(configuration.folder);
  for (const std::string& folder : read_sphinx_extra_folders(missing.sites.text_of(configuration)))
    paths.push_back((configuration.folder / folder / relative).lexically_normal());
  return paths;
}

// Returns true for a path in a folder that Sphinx fills: "_static/x.css", "../_images/x.png".
bool is_in_output_of_sphinx(std::string_view path) {
  constexpr std::array<std::string_view, 5> folders{"/_static/", "/_images/", "/_downloads/", "/_modules/",
                                                    "/_sources/"};
  const auto occurs = [path](std::string_view folder) { return path.find(folder) != std::string_view::npos; };
  return std::ranges::any_of(folders, occurs);
}

// Sphinx fills folders of its own, and makes pages of its own in the folder of the configuration.
bool is_made_by_sphinx(const MissingFile& missing) {
  const SiteConfiguration& configuration = missing.context.configuration;
  const fs::path folder = missing.path.parent_path();
  const FoundFile found = missing.inspect(folder);
  if (is_in_output_of_sphinx(missing.target) && is_missing(found)) return true;
  return missing.target.ends_with(".html") && folder == configuration.folder &&
         found.type == fs::file_type::directory &&
         is_page_of_sphinx(missing.path.filename().native(), missing.sites.text_of(configuration));
}

}  // namespace

constinit const GeneratorRules sphinx_rules{.generator = SiteGenerator::sphinx,
                                            .configurations = sphinx_files,
                                            .set_dialect = set_dialect_of_sphinx,
                                            .copied_paths = extra_paths,
                                            .may_build = is_made_by_sphinx};

}  // namespace linkherd::crawler
