#include "crawler/sources/local_links.h"

#include <utility>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/antora.h"
#include "crawler/sources/generators/site_generators.h"
#include "crawler/sources/local_verdict.h"
#include "crawler/sources/resolve_special_target.h"
#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

// Returns true for "/x", which is relative to the root of a site. The root is unknown.
bool is_root_relative(std::string_view written) {
  written = parser::trim_ascii(written);
  return written.starts_with('/') && !written.starts_with("//");
}

// Returns true if the <base> of an HTML page points elsewhere. Its targets are then on a site, not in the folder.
bool leaves_by_base(const DocumentContext& context, const Url& target, std::string_view written) {
  if (!context.base || !context.has_base_element) return false;
  const Result<Url> plain = Url::parse(written, *context.base);
  if (!plain || plain->path() == target.path()) return false;
  const std::string_view folder = context.base->path().substr(0, context.base->path().rfind('/') + 1);
  return !target.path().starts_with(folder);
}

}  // namespace

std::string_view LocalLink::file_name() const { return file->name; }

std::string LocalLink::name() const {
  std::string name(file->name);
  return fragment.empty() ? name : name.append("#").append(fragment);
}

std::optional<std::string_view> path_in_site(const SiteMapping& site, const Url& page) {
  const Url& own = site.url;
  if (!page.is_http() || page.host() != own.host() || page.port() != own.port()) return std::nullopt;
  std::string_view above = own.path();
  while (above.ends_with('/')) above.remove_suffix(1);
  if (!page.path().starts_with(above)) return std::nullopt;
  const std::string_view below = page.path().substr(above.size());
  return below.empty() || below.front() == '/' ? std::optional(below) : std::nullopt;
}

LocalLinks::LocalLinks(LocalLinkOptions options, const GitChanges* changes)
    : known_{.options = std::move(options), .changes = changes, .here = current_folder()},
      places_(known_.options, known_.sites),
      anchors_(known_.files, known_.documents, hints_, [this](const fs::path& file) {
        InputDocument list;
        list.path = file;
        list.format = parser::prose_format_for_extension(file.filename().string()).value_or(list.format);
        return parser::is_markdown(list.format) ? context_of(list).dialect : SiteGenerator::none;
      }) {}

std::optional<Url> LocalLinks::base_of(const InputDocument& list) {
  return list.path.empty() ? std::nullopt : url_of_file(full_path(list.path));
}

DocumentContext LocalLinks::context_of(const InputDocument& list) {
  const std::scoped_lock lock(known_.mutex);
  return places_.of(list);
}

TargetRoot LocalLinks::root_of(const DocumentContext& list, std::string_view path) const {
  const std::string& root_dir = known_.options.root_dir;
  const bool is_site = !root_dir.empty() || !list.site.empty();
  TargetRoot root;
  root.in_repository = !is_site && list.repository != nullptr && is_source_file(path);
  root.is_known = is_site || root.in_repository;
  if (list.repository != nullptr) root.folder = *list.repository;
  if (!list.site.empty()) root.folder = list.site;
  if (!root_dir.empty()) root.folder = full_path(root_dir);
  root.is_of_generator = !is_site && list.configuration.generator != SiteGenerator::none;
  if (root.is_of_generator && !root.folder) root.folder = list.configuration.folder;
  root.exists = root.folder.has_value();  // the root of a site is not the root of this file system
  return root;
}

std::shared_ptr<const LinkedFile> LocalLinks::find(const DocumentContext& list, std::string_view path,
                                                   const TargetRoot& root) {
  const auto folders = reinterpret_cast<std::uintptr_t>(list.folders);
  thread_local std::string context;  // reused, because nearly every call finds its file in the cache
  context.assign(reinterpret_cast<const char*>(&folders), sizeof folders);
  context += root.exists ? 'r' : ' ';
  context += root.is_known ? 'k' : ' ';
  context += root.is_of_pages ? 'p' : ' ';
  context += list.is_template ? 't' : ' ';
  context += list.is_page_source == IsPageSource::maybe ? 'm' : ' ';
  if (root.folder) context.append(root.folder->native()).append(1, '\0');
  const bool is_of_generator = list.is_page_source == IsPageSource::yes && !root.is_of_pages;
  if (root.in_repository || is_of_generator) context.append(list.full.native()).append(1, '\0');
  if (root.is_of_pages || root.is_of_generator) context.append(list.configuration.file.native()).append(1, '\0');
  context += list.is_stylesheet ? 's' : ' ';
  context += list.has_references ? 'x' : ' ';
  const bool is_in_vault = rules_of(list.configuration.generator).is_vault;
  if (list.may_be_included || is_in_vault) context.append(list.full.native()).append(1, '\0');
  if (!list.site.empty()) context += 'i';
  if (!root.address.empty()) context.append(1, 'a').append(root.address);
  if (std::shared_ptr<const LinkedFile> known = known_.files.find(context, path)) return known;
  return known_.files.keep(context, path, find_linked_file(known_, list, root, path));
}

LocalLink LocalLinks::look_up(const DocumentContext& list, const Url& target, std::string_view written,
                              bool looks_like_host) {
  if (!target.host().empty()) return link_elsewhere(target.href(), FileDoubt::other_machine, target.host());
  if (const auto component = list.may_be_included ? component_of_resource(written) : std::nullopt) {
    std::optional<Url> moved;
    {
      const std::scoped_lock lock(known_.mutex);
      const fs::path path = parser::percent_decode(target.path());
      moved = url_in_component(known_.missing_file(list, target.path(), path, false), *component, target.fragment());
    }
    if (moved) return look_up(list, *moved, "");
    return link_elsewhere(
        written, FileDoubt::other_component,
        fmt::format("the Antora component \"{}\" was not found beside this one", describe(*component)));
  }
  const bool is_below_root = is_root_relative(written) || leaves_by_base(list, target, written);
  TargetRoot root = is_below_root ? root_of(list, target.path()) : TargetRoot();
  if (looks_like_host) root.address = parser::add_https_scheme(written);
  LocalLink link = link_to(find(list, target.path(), root), target.fragment(), list, written);
  link.may_be_reference = list.has_references && parser::trim_ascii(written).starts_with('#');
  return link;
}

LocalLink LocalLinks::link_elsewhere(std::string_view name, FileDoubt doubt, std::string_view detail) {
  LinkedFile elsewhere;
  elsewhere.name = known_.files.intern(name);
  elsewhere.doubt = doubt;
  elsewhere.set(&RarePaths::detail, known_.files.intern(detail));
  LocalLink link;
  link.file = std::make_shared<const LinkedFile>(std::move(elsewhere));
  return link;
}

std::optional<LocalLink> LocalLinks::look_up_page(const DocumentContext& list, const Url& target,
                                                  std::string_view written) {
  const SiteMapping* site = nullptr;
  std::string_view path;
  for (const SiteMapping& own : known_.options.sites) {
    const std::optional<std::string_view> below = path_in_site(own, target);
    if (!below || (site != nullptr && below->size() >= path.size())) continue;
    site = &own;
    path = *below;
  }
  if (site == nullptr) return std::nullopt;
  TargetRoot root = root_of(list, path);
  if (!site->folder.empty()) root = {.folder = full_path(site->folder)};
  if (!root.exists) return std::nullopt;
  const bool is_guess = !root.is_known || root.in_repository;
  root.is_known = root.is_of_pages = true;
  root.in_repository = is_guess;
  const std::shared_ptr<const LinkedFile> file = find(list, path, root);
  const bool exists = file->found.type == fs::file_type::regular || !file->rare_paths().index.empty();
  if (is_guess && !exists && file->rare_paths().removed.empty()) return std::nullopt;
  return link_to(file, target.fragment(), list, written);
}

LocalLink LocalLinks::link_to(std::shared_ptr<const LinkedFile> file, std::string_view fragment,
                              const DocumentContext& list, std::string_view written) const {
  LocalLink link;
  link.file = std::move(file);
  link.fragment = fragment_to_check(*link.file, fragment);
  if (known_.changes == nullptr) return link;
  link.list = list.path.native();
  link.written = written;
  return link;
}

bool LocalLinks::lacks_file(const LocalLink& link) {
  return link.file != nullptr && link.file->found.type == fs::file_type::not_found;
}

LocalLink LocalLinks::with_fragment(const LocalLink& link, std::string_view fragment) const {
  LocalLink other;
  other.file = link.file;
  other.fragment = fragment_to_check(*link.file, fragment);
  return other;
}

// Returns the fragment that must be checked. Empty if it does not matter.
std::string_view LocalLinks::fragment_to_check(const LinkedFile& file, std::string_view fragment) const {
  const bool is_file = file.found.type == fs::file_type::regular && file.doubt != FileDoubt::only_source;
  const bool has_text = is_file || !file.rare_paths().index.empty();
  return known_.options.anchors && has_text && file.doubt != FileDoubt::unknown_root ? fragment : std::string_view();
}

bool LocalLinks::resolve(const DocumentContext& list, parser::LinkOccurrence& occurrence) {
  const std::string before = occurrence.href;
  resolve_special_target(known_, list, occurrence);
  return occurrence.href != before;
}

parser::ReadInclude LocalLinks::include_reader_of(const DocumentContext& list) {
  const bool can_include = list.may_be_included && list.base && list.folders != nullptr;
  return can_include ? include_reader(list.full, *list.folders) : parser::ReadInclude();
}

void LocalLinks::keep_anchors(const DocumentContext& list, parser::DocumentFormat format, parser::AnchorSet anchors) {
  if (!parser::has_known_anchors(format)) return;  // the file is read again if a link needs it
  // A file that only an option declares to be AsciiDoc has no known anchors: see AnchorIndex::find().
  if (format == parser::DocumentFormat::asciidoc && !is_asciidoc(list.full)) return;
  anchors_.keep(list.full.native(), std::move(anchors));
}

bool LocalLinks::exists_with_anchor(const LinkedFile& file, std::string_view fragment) const {
  if (file.found.type == fs::file_type::not_found || file.found.absent) return false;
  switch (file.doubt) {
    case FileDoubt::only_source:
    case FileDoubt::no_index_page: return false;
    case FileDoubt::of_template: return fragment.empty();
    default: return anchors_.is_known_to_have(file, fragment);
  }
}

storage::Verdict LocalLinks::alive_verdict(const LinkedFile& file, std::string_view fragment) {
  return crawler::alive_verdict(file.name, fragment);
}

std::uint32_t LocalLinks::index_of(const LinkedFile& file) { return file.path_index; }

storage::Verdict LocalLinks::evaluate(const LocalLink& link) {
  const LinkedFile& file = *link.file;
  if (exists_with_anchor(file, link.fragment)) return alive_verdict(file, link.fragment);
  LinkFacts facts{.name = file.name,
                  .found = file.found,
                  .doubt = file.doubt,
                  .detail = std::string(file.rare_paths().detail),
                  .fragment = link.fragment,
                  .may_be_reference = link.may_be_reference};
  if (file.doubt == FileDoubt::only_source) facts.detail = reported_name(facts.detail);
  switch (missing_fact(facts)) {
    case MissingFact::none: break;
    case MissingFact::reason_for_no_file:
      facts.cause = cause_of_missing_file(link);
      if (facts.cause.empty()) facts.hint = hints_.for_file(file.path, *file.folders, file.rare_paths().address);
      break;
    case MissingFact::anchor:
      facts.anchor = anchors_.find(file, link.fragment, facts.hint);
      if (facts.anchor == AnchorStatus::found) break;
      facts.page = reported_name(file.page());
      facts.cause = cause_of_missing_anchor(file.page(), link.fragment);
      break;
  }
  return crawler::evaluate(facts);
}

std::string LocalLinks::cause_of_missing_file(const LocalLink& link) const {
  if (known_.changes == nullptr) return {};
  const fs::path removed = link.file->rare_paths().removed;
  if (!removed.empty()) {
    const std::optional<fs::path> renamed = known_.changes->later_path(removed);
    return renamed ? fmt::format("renames {} to {}", reported_name(removed), reported_name(*renamed))
                   : fmt::format("removes {}", reported_name(removed));
  }
  const std::optional<fs::path> former = known_.changes->former_path(link.list);
  const std::optional<Url> base = former ? url_of_file(full_path(*former)) : std::nullopt;
  if (!base) return {};
  const Result<Url> target = Url::parse(link.written, *base);
  if (target.has_error() || !known_.changes->existed_at_base(parser::percent_decode(target->path()))) return {};
  return fmt::format("moves the document from {}", reported_name(*former));
}

std::string LocalLinks::cause_of_missing_anchor(const fs::path& file, std::string_view fragment) {
  if (known_.changes == nullptr || !anchors_.had(*known_.changes, file, fragment)) return {};
  return fmt::format("removes the anchor \"{}\" from {}", shown_anchor(fragment), reported_name(file));
}

}  // namespace linkherd::crawler
