#include "crawler/sources/generators/site_catalog.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "crawler/sources/generators/site_configuration_text.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_sites = 64;
// Bytes that are read of a generator's configuration, which is searched often.
constexpr std::size_t max_configuration_bytes = std::size_t{1} << 17;

}  // namespace

const std::string& SiteCatalog::text_of(const SiteConfiguration& configuration) {
  if (texts_.size() >= max_sites) texts_.clear();
  const auto [known, is_new] = texts_.try_emplace(configuration.file.string());
  if (is_new)
    known->second = read_configuration(configuration, max_configuration_bytes, repository_around(configuration.folder));
  return known->second;
}

const SiteRoots& SiteCatalog::roots_of(const SiteConfiguration& configuration, const fs::path& document) {
  if (roots_.size() >= max_sites) roots_.clear();
  const auto [known, is_new] = roots_.try_emplace(configuration.file.native() + '\0' + document.native());
  if (is_new) known->second = find_site_roots(configuration, text_of(configuration), document);
  return known->second;
}

AntoraComponents& SiteCatalog::antora_components(const SiteConfiguration& configuration, const fs::path* repository) {
  static AntoraComponents none;
  if (configuration.generator != SiteGenerator::antora) return none;
  const fs::path& own = configuration.folder;
  if (components_.size() >= max_sites) components_.clear();
  const AntoraComponents* beside = &none;
  if (repository != nullptr && own != *repository) {
    const auto [known, is_new] = components_.try_emplace((own.parent_path() / "").native());
    if (is_new) {
      const fs::path real_repository = repository_around(own);
      known->second = AntoraComponents(find_antora_folders(own.parent_path(), real_repository), real_repository);
    }
    const AntoraFolder* const around = known->second.folder_around(own);
    if (around != nullptr && around->folder == own) return known->second;
    beside = &known->second;
  }
  // The folder has no siblings that may be read, or too many.
  const auto [alone, is_new] = components_.try_emplace(own.native());
  if (is_new) {
    const fs::path real_repository = repository_around(own);
    std::vector<AntoraFolder> folders = beside->folders();
    if (std::optional<AntoraFolder> folder = read_antora_folder(own, real_repository))
      folders.insert(folders.begin(), std::move(*folder));
    alone->second = AntoraComponents(std::move(folders), real_repository);
  }
  return alone->second;
}

}  // namespace linkherd::crawler
