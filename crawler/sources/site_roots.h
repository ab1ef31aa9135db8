// Which folders of the sources of a site have what its targets "/x" lead to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/site_generators.h"

namespace linkherd::crawler {

// A file or folder whose files and pages are at a path of the site, such as Sphinx's "_static".
struct SiteMount {
  std::filesystem::path at;      // relative; empty: the root of the site
  std::filesystem::path source;  // absolute
};

// All folders are absolute. They may not exist.
struct SiteRoots {
  std::vector<std::filesystem::path> files{};  // copied to the root of the site as they are: Hugo's "static"
  std::vector<std::filesystem::path> pages{};  // have the sources of pages: Hugo's "content"
  std::vector<SiteMount> mounts{};             // looked into after the others
  bool has_collections = false;                // "/docs/x" may be made of "_docs/x.md", as Jekyll does
  bool has_all_pictures = false;  // the generator makes no site where a picture beside others of `files` is missing
};

// `text`: that of the configuration, as far as it is TOML, YAML or a script with plain values. No code is run: what a
// script computes has its default. `list`: the file that has the targets.
SiteRoots site_roots_of(const SiteConfiguration& configuration, std::string_view text,
                        const std::filesystem::path& list);

// Returns the texts that a configuration in TOML, YAML or Python gives a name: `src = "book"`, `docs_dir: book`,
// `staticDir = ["a", "b"]`, and items of YAML on lines of their own. At most eight.
std::vector<std::string> configured_texts(std::string_view configuration, std::string_view name);

}  // namespace linkherd::crawler
