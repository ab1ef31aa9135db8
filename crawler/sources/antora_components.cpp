#include "crawler/sources/antora_components.h"

#include <cstddef>
#include <system_error>
#include <vector>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"
#include "crawler/sources/site_roots.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr const char* configuration_name = "antora.yml";

// Returns true if the folder contains the component.
bool is_component(const fs::path& folder, const AntoraComponent& component) {
  constexpr std::size_t max_bytes = std::size_t{1} << 16;
  std::error_code error;
  if (!fs::is_regular_file(folder / configuration_name, error)) return false;
  const Result<std::string> text = read_file_start(folder / configuration_name, max_bytes, repository_around(folder));
  if (!text) return false;
  const std::vector<std::string> names = configured_texts(*text, "name");
  if (names.empty() || names.front() != component.name) return false;
  const std::vector<std::string> versions = configured_texts(*text, "version");
  return component.version.empty() || (!versions.empty() && versions.front() == component.version);
}

}  // namespace

std::string describe(const AntoraComponent& component) {
  return component.version.empty() ? component.name : component.version + '@' + component.name;
}

std::optional<AntoraComponent> component_of_resource(std::string_view id) {
  const std::string_view path = id.substr(0, id.find('#'));
  const std::size_t first = path.find(':');
  if (first == std::string_view::npos || first == path.rfind(':')) return std::nullopt;
  const std::string_view name = path.substr(0, first);
  const std::size_t at = name.find('@');
  const bool is_name = !name.empty() && name.find('/') == std::string_view::npos && path[first + 1] != '/';
  if (!is_name) return std::nullopt;
  if (at == std::string_view::npos) return AntoraComponent{std::string(name), {}};
  return AntoraComponent{std::string(name.substr(at + 1)), std::string(name.substr(0, at))};
}

std::optional<fs::path> find_antora_component(const SiteConfiguration& configuration, const AntoraComponent& component,
                                              const fs::path* repository) {
  constexpr std::size_t max_folders = 200;
  if (configuration.generator != SiteGenerator::antora) return std::nullopt;
  if (is_component(configuration.folder, component)) return configuration.folder;
  if (repository == nullptr || configuration.folder == *repository) return std::nullopt;
  std::error_code error;
  fs::directory_iterator entry(configuration.folder.parent_path(), error);
  for (std::size_t i = 0; !error && i < max_folders && entry != fs::directory_iterator(); ++i) {
    if (is_component(entry->path(), component)) return entry->path();
    entry.increment(error);
  }
  return std::nullopt;
}

}  // namespace linkherd::crawler
