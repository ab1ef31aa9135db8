#include "crawler/sources/generators/antora.h"

#include <algorithm>
#include <array>
#include <string>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/file_cache.h"
#include "crawler/sources/list_place.h"
#include "crawler/sources/site_catalog.h"
#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

constexpr auto antora_files = std::to_array<const char*>({"antora.yml"});

// Returns the paths in the folders that Antora unites with the one that contains the path, and those in its old layout.
std::vector<fs::path> united_paths(const MissingFile& missing) {
  std::vector<fs::path> united;
  if (!missing.document.may_be_included || missing.is_root_relative) return united;
  const std::vector<AntoraFolder>& folders =
      missing.sites.antora_folders(missing.document.configuration, missing.document.repository);
  const auto own =
      std::ranges::find_if(folders, [&](const AntoraFolder& folder) { return is_below(folder.folder, missing.path); });
  if (own == folders.end()) return united;
  const std::vector<fs::path> paths = antora_paths(missing.path.lexically_relative(own->folder));
  const auto add = [&](const AntoraFolder& folder) {
    for (const fs::path& path : paths) united.push_back(folder.folder / path);
  };
  add(*own);
  for (const AntoraFolder& folder : folders)
    if (folder.component == own->component && &folder != &*own) add(folder);
  return united;
}

// The modules of a component may be in several repositories.
bool is_in_missing_module(const MissingFile& missing) {
  const fs::path& component = missing.document.configuration.folder;
  const fs::path relative = missing.path.lexically_relative(component);
  auto part = relative.begin();
  if (part == relative.end() || *part != "modules" || ++part == relative.end()) return false;
  return is_missing(missing.inspect(component / "modules" / *part));
}

}  // namespace

std::optional<Url> url_in_component(const MissingFile& missing, const AntoraComponent& component,
                                    std::string_view fragment) {
  const fs::path& own = missing.document.configuration.folder;
  const fs::path resource = missing.path.lexically_relative(own);
  std::optional<fs::path> first;  // the folder of the document's component, or else the first one
  std::optional<fs::path> found;
  if (resource.empty() || *resource.begin() == "..") return std::nullopt;
  const auto has_resource = [&](const fs::path& folder) {
    return std::ranges::any_of(antora_paths(resource), [&](const fs::path& path) {
      return missing.inspect(folder / path).type != fs::file_type::not_found;
    });
  };
  for (const AntoraFolder& folder :
       missing.sites.antora_folders(missing.document.configuration, missing.document.repository)) {
    const bool is_version = component.version.empty() || folder.component.version == component.version;
    if (folder.component.name != component.name || !is_version) continue;
    const bool is_own = folder.folder == own;
    if (!first || is_own) first = folder.folder;
    if ((!found || is_own) && has_resource(folder.folder)) found = folder.folder;
  }
  if (!first) return std::nullopt;
  std::optional<Url> file = url_of_file(found.value_or(*first) / resource);
  if (!file || fragment.empty()) return file;
  const Result<Url> url = Url::parse(std::string("#").append(fragment), *file);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

constinit const GeneratorRules antora_rules{.generator = SiteGenerator::antora,
                                            .configurations = antora_files,
                                            .other_paths = united_paths,
                                            .may_build = is_in_missing_module};

}  // namespace linkherd::crawler
