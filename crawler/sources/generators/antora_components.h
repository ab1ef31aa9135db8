// Finds the components of Antora in a repository: folders with an antora.yml.
//
// Example: docs/antora.yml has "name: shop" and "version: '2.0'". The targets "shop:api:page.adoc" and
// "2.0@shop:api:page.adoc" mean docs/modules/api/pages/page.adoc. Antora unites folders that have the same component
// and version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
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

// Returns the ids in the attribute "page-aliases" of the header of a page. Antora redirects these pages to this one.
std::vector<std::string> parse_page_aliases(std::string_view asciidoc);

// Finds resources in many folders of components. Reads each folder once, so that the time is proportional to the number
// of files and look-ups. Not thread-safe.
class AntoraComponents {
 public:
  AntoraComponents() = default;
  // `repository` is a real path, or empty for no repository. Files outside of it are not read.
  AntoraComponents(std::vector<AntoraFolder> folders, std::filesystem::path repository);

  const std::vector<AntoraFolder>& folders() const { return folders_; }

  // Returns the folder that contains the path, or null.
  const AntoraFolder* folder_around(const std::filesystem::path& path) const;

  // Returns the folders of the component, in the order of folders(). An empty version means any version.
  std::vector<const AntoraFolder*> folders_of(const AntoraComponent& component) const;

  // Returns those of folders_of() that may have the path, or its old layout: see antora_paths(). `resource` is relative
  // to a folder.
  std::vector<const AntoraFolder*> folders_with(const AntoraComponent& component,
                                                const std::filesystem::path& resource);

  // Returns the page that has an alias for a page of the component. `resource` is relative to a folder.
  std::optional<std::filesystem::path> page_of_alias(const AntoraComponent& component,
                                                     const std::filesystem::path& resource);

 private:
  using Indexes = std::vector<std::uint32_t>;  // of folders
  using Names = std::unordered_map<std::string, Indexes>;
  // The folders with the name of a component.
  struct Component {
    Indexes folders{};
    std::unordered_map<std::string, Names> listed{};  // by a path in the folders: which of them have which names
  };
  const Names& list(Component& component, const std::string& path, const Indexes& folders);
  const Indexes& indexes_with(Component& component, const std::filesystem::path& path);
  void read_aliases();
  void read_aliases_below(const AntoraFolder& folder, const std::filesystem::path& module);

  std::vector<AntoraFolder> folders_;
  std::filesystem::path repository_;
  std::unordered_map<std::string, std::uint32_t> by_path_;
  std::unordered_map<std::string, Component> by_name_;
  std::size_t names_ = 0;  // in all lists
  // By component, version and path in its folders. The version is nullopt if the alias names none.
  using PageKey = std::tuple<std::string, std::optional<std::string>, std::string>;
  std::optional<std::map<PageKey, std::filesystem::path>> aliases_;
};

}  // namespace linkherd::crawler
