#include "crawler/sources/resolve_special_target.h"

#include <algorithm>
#include <string>
#include <vector>

#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/include_targets.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::LinkNote;
using parser::Url;

namespace {

// Returns true if a missing file with this name may be the document that a directive of Sphinx names without an
// extension. Rules that ignore all files of other types say nothing about documents.
bool is_document_of_sphinx(const fs::path& file, std::string_view configuration) {
  const fs::path extension = file.extension();
  return extension == ".rst" || extension == ".md" ||
         (extension == ".ipynb" && configuration.find("nb") != std::string_view::npos);
}

void resolve_wikilink(FileKnowledge& known, const DocumentContext& list, parser::LinkOccurrence& occurrence) {
  const bool is_vault = rules_of(list.configuration.generator).is_vault;
  const fs::path& around = list.repository != nullptr ? *list.repository : list.full.parent_path();
  known.wiki.resolve(list.full, is_vault ? list.configuration.folder : around, is_vault, occurrence);
}

void resolve_site_alias(const DocumentContext& list, parser::LinkOccurrence& occurrence) {
  const std::string_view alias = rules_of(list.configuration.generator).root_alias;
  if (alias.empty() || !occurrence.url.starts_with(alias)) return;
  const std::optional<Url> folder = url_of_file(list.configuration.folder / "");
  if (!folder) return;
  const Result<Url> file = Url::parse("./" + occurrence.url.substr(alias.size()), *folder);
  if (!file) return;
  occurrence.href = file->href();
  // these notes apply to the alias, which was read as a URL
  std::erase_if(occurrence.notes, [](LinkNote note) {
    return note == LinkNote::placeholder || note == LinkNote::relative || note == LinkNote::missing_scheme;
  });
}

void resolve_include(FileKnowledge& known, const DocumentContext& list, parser::LinkOccurrence& occurrence) {
  const std::string_view written = occurrence.url;
  const bool is_alias = written.starts_with('@');  // an alias of VitePress
  if (parser::has_placeholder(written.substr(is_alias ? 1 : 0)) || written.find("://") != std::string_view::npos)
    return;
  IncludeTargets targets;
  {
    const std::scoped_lock lock(known.mutex);
    // must precede text_of(), because it may clear the cached texts
    const SiteRoots& roots = known.sites.roots_of(list.configuration, list.full);
    targets = find_include_targets(list, occurrence, known.sites.text_of(list.configuration), roots);
  }
  const auto exists = [&list](const fs::path& file) {
    return list.folders->inspect(file).type != fs::file_type::not_found;
  };
  std::optional<fs::path> found;
  if (const auto file = std::ranges::find_if(targets.files, exists); file != targets.files.end()) found = *file;
  for (const std::string& page : targets.pages) {
    if (!found) found = known.wiki.find(targets.folder, list.full, page);
  }
  if (!found && targets.is_certain && list.repository != nullptr) {
    const std::scoped_lock lock(known.mutex);
    const bool is_document = occurrence.text == "toctree" || occurrence.text == "doc";
    targets.is_certain = std::ranges::none_of(targets.files, [&](const fs::path& file) {
      return (!is_document || is_document_of_sphinx(file, known.sites.text_of(list.configuration))) &&
             known.cache.is_ignored(*list.repository, file);
    });
  }
  std::erase_if(occurrence.notes, [](LinkNote note) { return note != LinkNote::wrapped_line; });
  const std::optional<Url> url = found || (targets.is_certain && !targets.files.empty())
                                     ? url_of_file(found ? *found : targets.files.front())
                                     : std::nullopt;
  if (!url) {
    occurrence.href.clear();
    occurrence.notes.push_back(LinkNote::placeholder);
    return;
  }
  occurrence.href = url->href();
  if (!targets.fragment.empty()) occurrence.href.append(1, '#').append(targets.fragment);
}

}  // namespace

void resolve_special_target(FileKnowledge& known, const DocumentContext& list, parser::LinkOccurrence& occurrence) {
  switch (occurrence.element) {
    case parser::LinkElement::wikilink: resolve_wikilink(known, list, occurrence); break;
    case parser::LinkElement::include: resolve_include(known, list, occurrence); break;
    default: resolve_site_alias(list, occurrence);
  }
}

}  // namespace linkherd::crawler
