// Finds the folders of a site's sources that contain the targets "/x" of its pages.
//
// Example: a Hugo site in /r/docs has `staticDir = "files"` in its configuration, and the document
// /r/docs/content/en/guide.md.
//     files   /r/docs/static, /r/docs/files, /r/docs/assets     copied to the root of the site unchanged
//     pages   /r/docs/content, /r/docs/content/en               "en" because the document is in that part
// So "/img/a.png" may be /r/docs/files/img/a.png, and "/setup/" may be made of /r/docs/content/en/setup.md. A target
// that is in none of the folders need not be missing: a theme or a module may have it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/generators/site_generators.h"

namespace linkherd::crawler {

// A file or folder that is mounted at a path of the site, such as the folder of Sphinx's "_static".
struct SiteMount {
  std::filesystem::path at;      // relative to the root of the site; empty for the root
  std::filesystem::path source;  // absolute

  bool operator==(const SiteMount&) const = default;
};

// A folder of translations, and the folder that has the documents that are not translated. Both are absolute.
struct SiteTranslation {
  std::filesystem::path translated;
  std::filesystem::path original;
};

// The folders that contain the targets. All are absolute. They need not exist.
struct SiteRoots {
  std::vector<std::filesystem::path> files{};  // copied to the root of the site unchanged: Hugo's "static"
  std::vector<std::filesystem::path> pages{};  // contain the sources of pages: Hugo's "content"
  std::vector<SiteMount> mounts{};             // searched after the others
  std::vector<SiteTranslation> originals{};    // of the translation that the list is in
  bool has_collections = false;                // true if "/docs/x" may be made of "_docs/x.md", as in Jekyll
  // true if the generator fails when a picture is missing from a folder of `files` that exists
  bool has_all_pictures = false;
};

// A path that may have the target of a link.
struct SiteCandidate {
  std::filesystem::path path;
  bool is_page = false;  // the path of a page, which is made of a source
};

// Returns the paths that a target "/x" may mean. `relative` is the target without the slash.
std::vector<SiteCandidate> candidates_in(const SiteRoots& roots, const std::filesystem::path& relative);

// Returns the paths of the original of a document that is not translated.
std::vector<SiteCandidate> originals_of(const SiteRoots& roots, const std::filesystem::path& translated);

// Returns the folders for the file `list`. `text` is the text of the configuration: TOML, YAML, JSON or a script with
// plain values. No code is run, so a value that a script computes has its default.
SiteRoots find_site_roots(const SiteConfiguration& configuration, std::string_view text,
                          const std::filesystem::path& list);

// Returns the values that a configuration in TOML, YAML, JSON or Python assigns to a name: `src = "book"`,
// `docs_dir: book`, `"staticDir": ["a", "b"]`, and YAML items on lines of their own. At most eight are returned.
std::vector<std::string> configured_texts(std::string_view configuration, std::string_view name);

}  // namespace linkherd::crawler
