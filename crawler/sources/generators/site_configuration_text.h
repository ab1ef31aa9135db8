// Reads the configuration of a site generator, which may be in several files.
//
// Example: Hugo merges hugo.toml, config/_default/module.toml and config/production/hugo.toml.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "crawler/sources/generators/site_generators.h"

namespace linkherd::crawler {

// Returns the texts of all files of the configuration, with a blank line between two of them: at most `max_bytes`. The
// main file comes first. Files that cannot be read are skipped, and so are files outside of `inside` (see
// read_file_bytes). The files are:
// - of Hugo, hugo.*, config.*, module.* and languages.* in config/_default and in the folders of environments;
// - of VitePress and VuePress, the scripts in the folder "config" of .vitepress or .vuepress;
// - of MkDocs, the file that INHERIT names, and the one that this file inherits;
// - of Jekyll, _config.*.yml and _config_*.yml, which are options of the command line.
std::string read_configuration(const SiteConfiguration& configuration, std::size_t max_bytes,
                               const std::filesystem::path& inside);

}  // namespace linkherd::crawler
