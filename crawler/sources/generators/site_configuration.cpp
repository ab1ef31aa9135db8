#include "crawler/sources/generators/site_configuration.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// The usual names of the folder of a site whose documents are next to it.
constexpr std::array<const char*, 5> site_folders{"website", "site", "documentation", "docs-site", "docusaurus"};

// Returns true if a script contains the relative path of the folder, or of a folder above it, as a text in quotes.
bool names_documents(std::string_view script, const fs::path& site, const fs::path& documents) {
  constexpr std::size_t max_path_bytes = 200;
  constexpr std::size_t max_paths = 64;
  constexpr std::string_view above = "../";
  std::size_t count = 0;
  for (std::size_t at = script.find(above); at != std::string_view::npos && count < max_paths;
       at = script.find(above, at + above.size()), ++count) {
    const std::string_view rest = script.substr(at, max_path_bytes);
    if (at == 0 || std::string_view("'\"`").find(script[at - 1]) == std::string_view::npos) continue;
    const std::size_t end = rest.find(script[at - 1]);
    if (end == std::string_view::npos) continue;
    const fs::path named = (site / rest.substr(0, end) / "").lexically_normal().parent_path();
    const fs::path below = documents.lexically_relative(named);
    if (!below.empty() && *below.begin() != "..") return true;
  }
  return false;
}

// Returns the site in a folder below `parent` that makes pages of the documents in another folder below it.
SiteConfiguration find_site_beside(const fs::path& parent, const fs::path& documents) {
  constexpr std::size_t max_bytes = std::size_t{1} << 17;
  std::error_code error;
  for (const char* const name : site_folders) {
    const fs::path site = parent / name;
    if (!fs::is_directory(site, error)) continue;
    for (const GeneratorRules* const rules : all_rules()) {
      if (!rules->may_be_beside) continue;
      for (const char* const file : rules->configurations) {
        if (!fs::exists(site / file, error)) continue;
        const Result<std::string> script = read_file_start(site / file, max_bytes, repository_around(parent));
        if (script && names_documents(*script, site, documents)) return {rules->generator, site, site / file};
      }
    }
  }
  return {};
}

}  // namespace

SiteConfiguration find_site_configuration(fs::path folder, const std::optional<fs::path>& top) {
  std::error_code error;
  const fs::path documents = folder;
  while (true) {
    if (top && folder != documents) {
      if (SiteConfiguration site = find_site_beside(folder, documents); site.generator != SiteGenerator::none)
        return site;
    }
    for (const GeneratorRules* const rules : all_rules()) {
      for (const char* const file : rules->configurations)
        if (fs::exists(folder / file, error)) return {rules->generator, folder, folder / file};
    }
    if (!top || folder == *top || !folder.has_relative_path()) return {};
    folder = folder.parent_path();
  }
}

}  // namespace linkherd::crawler
