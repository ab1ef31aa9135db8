#include "crawler/sources/generators/antora.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/file_cache.h"
#include "crawler/sources/generators/site_catalog.h"
#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

constexpr auto antora_files = std::to_array<const char*>({"antora.yml"});

// Returns the folders of a component that may have the resource. Files that are not in the working tree may be in any
// folder.
std::vector<const AntoraFolder*> folders_to_search(const MissingFile& missing, AntoraComponents& components,
                                                   const AntoraComponent& component, const fs::path& resource) {
  return missing.is_tree_whole ? components.folders_with(component, resource) : components.folders_of(component);
}

// Returns the paths in the folders that Antora unites with the one that contains the path, and those in its old layout.
// The last one is the page that has the path as an alias.
std::vector<fs::path> united_paths(const MissingFile& missing) {
  std::vector<fs::path> united;
  if (!missing.context.may_be_included || missing.is_root_relative) return united;
  AntoraComponents& components =
      missing.sites.antora_components(missing.context.configuration, missing.context.repository);
  const AntoraFolder* const own = components.folder_around(missing.path);
  if (own == nullptr) return united;
  const fs::path resource = missing.path.lexically_relative(own->folder);
  std::vector<const AntoraFolder*> folders = folders_to_search(missing, components, own->component, resource);
  std::stable_partition(folders.begin(), folders.end(), [own](const AntoraFolder* folder) { return folder == own; });
  for (const AntoraFolder* const folder : folders) {
    if (folder->component != own->component) continue;
    for (const fs::path& path : antora_paths(resource)) united.push_back(folder->folder / path);
  }
  const auto exists = [&missing](const fs::path& path) { return !is_missing(missing.inspect(path)); };
  if (std::ranges::any_of(united, exists)) return united;  // aliases are read only if they are needed
  if (std::optional<fs::path> page = components.page_of_alias(own->component, resource))
    united.push_back(std::move(*page));
  return united;
}

// The modules of a component may be in several repositories.
bool is_in_missing_module(const MissingFile& missing) {
  const fs::path& component = missing.context.configuration.folder;
  const fs::path relative = missing.path.lexically_relative(component);
  auto part = relative.begin();
  if (part == relative.end() || *part != "modules" || ++part == relative.end()) return false;
  return is_missing(missing.inspect(component / "modules" / *part));
}

}  // namespace

std::optional<Url> url_in_component(const MissingFile& missing, const AntoraComponent& component,
                                    std::string_view fragment) {
  const fs::path& own = missing.context.configuration.folder;
  const fs::path resource = missing.path.lexically_relative(own);
  if (resource.empty() || *resource.begin() == "..") return std::nullopt;
  const auto has_resource = [&](const AntoraFolder* folder) {
    return std::ranges::any_of(antora_paths(resource), [&](const fs::path& path) {
      return missing.inspect(folder->folder / path).type != fs::file_type::not_found;
    });
  };
  const auto is_own = [&own](const AntoraFolder* folder) { return folder->folder == own; };
  AntoraComponents& components =
      missing.sites.antora_components(missing.context.configuration, missing.context.repository);
  std::vector<const AntoraFolder*> folders = folders_to_search(missing, components, component, resource);
  std::stable_partition(folders.begin(), folders.end(), is_own);
  auto found = std::ranges::find_if(folders, has_resource);
  if (found == folders.end()) {  // the id is missing in the document's folder, or else in the first one
    folders = components.folders_of(component);
    if (folders.empty()) return std::nullopt;
    found = std::ranges::find_if(folders, is_own);
    if (found == folders.end()) found = folders.begin();
  }
  std::optional<Url> file = url_of_file((*found)->folder / resource);
  if (!file || fragment.empty()) return file;
  const Result<Url> url = Url::parse(std::string("#").append(fragment), *file);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

constinit const GeneratorRules antora_rules{.generator = SiteGenerator::antora,
                                            .configurations = antora_files,
                                            .other_paths = united_paths,
                                            .may_build = is_in_missing_module};

}  // namespace linkherd::crawler
