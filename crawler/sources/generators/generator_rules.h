// The rules of site generators: one row per generator, in a table. A generator with rules of its own has a file in this
// folder.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "crawler/sources/allowed_folders.h"
#include "parser/lists/document_format.h"
#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

class SiteCatalog;
class WikiPages;
struct DocumentContext;
using parser::SiteGenerator;

// A path where no file exists, and what a rule may use to find the file that a document links to.
struct MissingFile {
  const DocumentContext& context;
  std::string_view target;     // path of the URL, percent-encoded
  std::filesystem::path path;  // absolute
  bool is_root_relative;       // true if the path is relative to the root of the site
  // false: files may exist that are not in the working tree, or that a checked change removed
  bool is_tree_whole;
  SiteCatalog& sites;
  WikiPages& wiki;
  std::function<FoundFile(const std::filesystem::path& path)> inspect;
};

// The members that are null or empty do not apply to the generator.
struct GeneratorRules {
  SiteGenerator generator = SiteGenerator::none;

  // The files and folders that configure a site. The first one that exists decides.
  std::span<const char* const> configurations{};
  bool may_be_beside = false;  // true if a site may make pages of the documents next to its folder

  // Sets how the text of a document is read: see DocumentContext::dialect and the members after it.
  void (*set_dialect)(SiteCatalog& sites, parser::DocumentFormat format, DocumentContext& context) = nullptr;

  // Return other paths of the file. The first that exists is meant. `other_paths` precede the sources of the page, and
  // `copied_paths` follow them.
  std::vector<std::filesystem::path> (*other_paths)(const MissingFile& missing) = nullptr;
  std::vector<std::filesystem::path> (*copied_paths)(const MissingFile& missing) = nullptr;

  // Returns true if the generator may create the file although it has no source.
  bool (*may_build)(const MissingFile& missing) = nullptr;

  std::string_view root_alias{};  // the beginning of targets relative to the folder of the configuration: "@site/"
  bool is_vault = false;          // true if a name means the document with this name, wherever it is
};

const GeneratorRules& rules_of(SiteGenerator generator);
// Returns all rows, in the order of SiteGenerator. Configurations are searched for in this order.
std::span<const GeneratorRules* const> all_rules();

extern const GeneratorRules antora_rules;
extern const GeneratorRules astro_rules;
extern const GeneratorRules docusaurus_rules;
extern const GeneratorRules jekyll_rules;
extern const GeneratorRules mdbook_rules;
extern const GeneratorRules obsidian_rules;
extern const GeneratorRules sphinx_rules;

}  // namespace linkherd::crawler
