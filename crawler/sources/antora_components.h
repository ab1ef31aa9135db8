// Finds the components of Antora in a repository: folders with an antora.yml.
//
// Example: docs/antora.yml has "name: shop" and "version: '2.0'". The targets "shop:api:page.adoc" and
// "2.0@shop:api:page.adoc" mean docs/modules/api/pages/page.adoc.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "crawler/sources/site_generators.h"

namespace linkherd::crawler {

struct AntoraComponent {
  std::string name;
  std::string version;  // empty: any version
};

// Returns "shop" or "2.0@shop".
std::string describe(const AntoraComponent& component);

// Returns the component that the id of a resource names, or nullopt if it names none.
std::optional<AntoraComponent> component_of_resource(std::string_view id);

// Returns the folder of a component: that of the configuration, or one next to it. Nullopt if there is none.
// `repository` may be null.
std::optional<std::filesystem::path> find_antora_component(const SiteConfiguration& configuration,
                                                           const AntoraComponent& component,
                                                           const std::filesystem::path* repository);

}  // namespace linkherd::crawler
