// Finds the configuration of the site generator that makes the pages of a folder.
#pragma once

#include <filesystem>
#include <optional>

#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

using parser::SiteGenerator;

// The generator that makes the pages of a folder, and its configuration. find_site_configuration() searches the folder
// and those above it up to `top`. If `top` is nullopt, it searches only the folder. A site of Docusaurus in the folder
// "website" also makes pages of the documents next to it, if its configuration names their folder: `path: '../docs'`.
struct SiteConfiguration {
  SiteGenerator generator = SiteGenerator::none;
  std::filesystem::path folder{};  // folder that contains the configuration; empty if there is none
  std::filesystem::path file{};    // file or folder of the configuration
};
SiteConfiguration find_site_configuration(std::filesystem::path folder,
                                          const std::optional<std::filesystem::path>& top);

}  // namespace linkherd::crawler
