// Finds the components of Antora in a repository: folders with an antora.yml.
//
// Example: docs/antora.yml has "name: shop" and "version: '2.0'". The targets "shop:api:page.adoc" and
// "2.0@shop:api:page.adoc" mean docs/modules/api/pages/page.adoc. Antora unites folders that have the same component
// and version.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::crawler {

struct AntoraComponent {
  std::string name;
  std::string version;  // empty: any version, or a component without versions

  bool operator==(const AntoraComponent&) const = default;
};

// A folder with an antora.yml.
struct AntoraFolder {
  std::filesystem::path folder;
  AntoraComponent component;
};

// Returns "shop" or "2.0@shop".
std::string describe(const AntoraComponent& component);

// Returns the component that the id of a resource names, or nullopt if it names none.
std::optional<AntoraComponent> component_of_resource(std::string_view id);

// Returns the component that an antora.yml describes, or nullopt if it has no name.
std::optional<AntoraComponent> parse_antora_component(std::string_view yaml);

// Returns the component of the folder, or nullopt if it has none. Does not read an antora.yml outside of the
// repository. `repository` is a real path, or empty for no repository.
std::optional<AntoraFolder> read_antora_folder(const std::filesystem::path& folder,
                                               const std::filesystem::path& repository);

// Returns the components in the folders of `parent`: the latest version of a component first, then by path. Reads a
// limited number of folders.
std::vector<AntoraFolder> find_antora_folders(const std::filesystem::path& parent,
                                              const std::filesystem::path& repository);

// Returns the paths in a component that may have a resource: the path itself, then the one in Antora's old layout.
// Example: "modules/api/images/x.png" may also be "modules/api/assets/images/x.png".
std::vector<std::filesystem::path> antora_paths(const std::filesystem::path& resource);

}  // namespace linkherd::crawler
