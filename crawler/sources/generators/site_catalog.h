// Keeps what was read of the sites that documents belong to: the texts of configurations, the folders that contain the
// targets, and the components of Antora.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

#include "crawler/sources/generators/antora_components.h"
#include "crawler/sources/generators/site_configuration.h"
#include "crawler/sources/generators/site_roots.h"

namespace linkherd::crawler {

// Not thread-safe. The number of sites is bounded: a reference is valid until the next call of the same function.
class SiteCatalog {
 public:
  // Returns the text of the configuration in all of its files. Empty if none can be read.
  const std::string& text_of(const SiteConfiguration& configuration);

  // Returns the folders for targets of the document. Calls text_of().
  const SiteRoots& roots_of(const SiteConfiguration& configuration, const std::filesystem::path& document);

  // Returns the components of Antora in the folder of the configuration and beside it. `repository` may be null.
  AntoraComponents& antora_components(const SiteConfiguration& configuration, const std::filesystem::path* repository);

 private:
  std::unordered_map<std::string, std::string> texts_;            // by the path of the configuration
  std::unordered_map<std::string, SiteRoots> roots_;              // by configuration and document
  std::unordered_map<std::string, AntoraComponents> components_;  // by folder
};

}  // namespace linkherd::crawler
