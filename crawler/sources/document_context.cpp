#include "crawler/sources/document_context.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_generators.h"
#include "parser/lists/document_format.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

// Returns the root of the innermost repository that contains the file.
std::optional<fs::path> repository_of(const fs::path& file) {
  std::error_code error;
  fs::path folder = file.parent_path();
  while (true) {
    if (fs::exists(folder / ".git", error)) return folder;
    if (!folder.has_relative_path()) return std::nullopt;
    folder = folder.parent_path();
  }
}

}  // namespace

std::optional<Url> url_of_file(const fs::path& full) {
  constexpr parser::ByteSet escaped = parser::path_encode_set.with("%\\|:");
  std::string text = "file://";
  parser::append_percent_encoded(text, full.string(), escaped);
  const auto url = Url::parse(text);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

std::optional<fs::path> folder_around(const fs::path& own, const fs::path* repository) {
  if (repository != nullptr) return *repository;
  const fs::path here = current_folder();
  const bool is_below_here = here.has_relative_path() && is_below(here, own);
  return is_below_here ? std::optional(here) : std::nullopt;
}

fs::path top_of_documents(const fs::path& file, const fs::path* repository) {
  constexpr int max_folders_above = 3;
  const fs::path own = file.parent_path();
  if (repository != nullptr) return *repository;
  const std::optional<fs::path> around = folder_around(own, nullptr);
  fs::path top = own;
  for (int i = 0; i < max_folders_above && around && top != *around && is_below(*around, top); ++i)
    top = top.parent_path();
  return top;
}

DocumentContext DocumentContexts::of(const InputDocument& list) {
  DocumentContext context;
  context.path = list.path;
  context.full = full_path(list.path);
  if (!list.path.empty()) context.base = url_of_file(context.full);
  const fs::path own = context.full.parent_path();
  Folder& folder = folders_[own.native() + '\0' + list.site.native()];
  if (folder.open == nullptr) {
    if (!list.site.empty()) folder.site = full_path(list.site);
    folder.repository = repository_of(context.full);
    folder.open = &allowed_folders(own, folder.repository_or_null(), folder.site);
  }
  context.site = folder.site;
  context.folders = folder.open;
  if (!list.base_url) context.repository = folder.repository_or_null();  // otherwise the list is on the web
  context.is_stylesheet = list.format == parser::DocumentFormat::css && context.site.empty();
  if (list.format == parser::DocumentFormat::html || list.format == parser::DocumentFormat::css) return context;
  if (!folder.configuration)
    folder.configuration = find_site_configuration(own, folder_around(own, folder.repository_or_null()));
  context.configuration = *folder.configuration;
  const SiteGenerator generator = context.configuration.generator;
  if (!parser::is_application(generator)) context.dialect = generator;
  if (const auto set_dialect = rules_of(generator).set_dialect) set_dialect(sites_, list.format, context);
  const bool is_certain = parser::makes_pages(generator) || has_front_matter(list.text);
  context.is_page_source = is_certain ? IsPageSource::yes : IsPageSource::maybe;
  context.may_be_included = list.format == parser::DocumentFormat::asciidoc;
  return context;
}

// Returns the folders that a list may access. Lists with the same folders share one object and what it has found.
const AllowedFolders& DocumentContexts::allowed_folders(const fs::path& own, const fs::path* repository,
                                                        const fs::path& site) {
  const std::optional<fs::path> around = folder_around(own, repository);
  const auto [shared, is_new] = shared_.try_emplace((around ? around->string() : std::string()) + '\0' + site.string());
  if (is_new) {
    if (around) shared->second.add(*around);
    if (!site.empty()) shared->second.add(site);
    if (!options_.root_dir.empty()) shared->second.add(full_path(options_.root_dir));
    for (const SiteMapping& mine : options_.sites) {
      if (!mine.folder.empty()) shared->second.add(full_path(mine.folder));
    }
  }
  // The folder of the list comes last. If it is inside another one, adding it changes nothing, and all lists in that
  // folder share one object.
  AllowedFolders folders = shared->second;
  folders.add(own);
  const auto same = std::ranges::find(allowed_, folders);
  return same != allowed_.end() ? *same : allowed_.emplace_back(std::move(folders));
}

}  // namespace linkherd::crawler
