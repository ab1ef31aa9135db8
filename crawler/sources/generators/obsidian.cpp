#include <array>
#include <optional>

#include "crawler/sources/document_context.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/wiki_pages.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr auto obsidian_files = std::to_array<const char*>({".obsidian"});

// Finds a note or attachment by its name, or by its path below the vault. Obsidian writes such links in Markdown too,
// unless its setting for new links is "relative".
std::vector<fs::path> paths_in_vault(const MissingFile& missing) {
  const DocumentContext& context = missing.context;
  const fs::path relative = missing.path.lexically_relative(context.full.parent_path());
  if (relative.empty() || *relative.begin() == "..") return {};
  const std::optional<fs::path> note = missing.wiki.find(context.configuration.folder, context.full, relative.native());
  return note ? std::vector<fs::path>{*note} : std::vector<fs::path>{};
}

}  // namespace

constinit const GeneratorRules obsidian_rules{.generator = SiteGenerator::obsidian,
                                              .configurations = obsidian_files,
                                              .other_paths = paths_in_vault,
                                              .is_vault = true};

}  // namespace linkherd::crawler
