#include "crawler/sources/local_links.h"

#include <algorithm>
#include <deque>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/lists/anchors.h"
#include "parser/nearest_name.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;
using storage::Health;
using storage::without_request;

namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;  // for reading anchors
constexpr std::size_t most_files = std::size_t{1} << 16;     // that are cached
constexpr std::size_t most_anchors = std::size_t{1} << 22;   // of the cached files, 8 bytes each
constexpr std::size_t longest_shown = 200;

fs::path full_path(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  return (here / path).lexically_normal();
}

bool is_below(const fs::path& folder, const fs::path& path) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// "/x" is relative to the root of a site, which is unknown.
bool is_root_relative(std::string_view written) {
  written = parser::trim_ascii(written);
  return written.starts_with('/') && !written.starts_with("//");
}

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

// "L10", "L10-L20", "L10C3": line anchors of code viewers.
bool is_line_reference(std::string_view fragment) {
  if (!fragment.starts_with('L') || fragment.size() < 2 || !parser::is_ascii_digit(fragment[1])) return false;
  return std::ranges::all_of(fragment,
                             [](char c) { return parser::is_ascii_digit(c) || c == 'L' || c == 'C' || c == '-'; });
}

// "#/guide", "#!page": routes of single-page applications.
bool is_route(std::string_view fragment) { return fragment.starts_with('/') || fragment.starts_with('!'); }

std::string shown(std::string_view fragment) {
  const std::string decoded = to_valid_utf8(parser::percent_decode(fragment));
  return std::string(truncate_utf8(decoded, longest_shown));
}

constexpr int most_symbolic_links = 40;  // per path, as in Linux

// Returns the path relative to `folder`, or nullopt if it is outside.
std::optional<fs::path> path_in(const fs::path& folder, const fs::path& path) {
  const fs::path relative = path.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

bool says_absent(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::filename_too_long;
}

}  // namespace

// What all links of a list share.
struct LocalLinks::ListPlace {
  fs::path named;  // as the list names itself
  fs::path full;
  std::optional<fs::path> repository;
  std::optional<Url> base;
  bool has_base_element = false;
  const OpenFolders* folders = nullptr;
};

struct LocalLinks::Found {
  fs::path path;
  FoundFile file;
  bool root_known = true;  // false: the folder of "/x" targets is unknown
  std::string name;        // of the path in reports
  fs::path removed;        // by the change that is checked: what would have done; empty: nothing
};

struct LocalLinks::Known {
  std::optional<ListPlace> list;  // the one that was judged last
  std::deque<OpenFolders> folders;
  std::unordered_map<std::string, const OpenFolders*> folders_of_lists;       // by the folder of the list
  std::unordered_map<std::string, Found> found;                               // by allowed folders and path
  std::unordered_map<std::string, std::optional<parser::AnchorSet>> anchors;  // by file; nullopt: unknown
  std::size_t anchor_count = 0;
  std::unordered_map<std::string, std::optional<parser::AnchorSet>> former_anchors;  // before the change, likewise
};

namespace {

// The text of a linked file whose anchors count; nullopt if it cannot be read or has none that are known.
struct LinkedText {
  std::string text;
  parser::ListFormat format;
};
std::optional<LinkedText> linked_text(const std::string& bytes, const fs::path& file) {
  if (parser::is_binary(bytes)) return std::nullopt;
  LinkedText read{parser::decode_text(bytes).text, {}};
  read.format = parser::detect_list_format(file.filename().string(), read.text);
  if (!parser::has_known_anchors(read.format)) return std::nullopt;
  return read;
}
std::optional<LinkedText> read_linked_text(const fs::path& file) {
  const Result<std::string> bytes = read_file_bytes(file, largest_file);
  return bytes.has_value() ? linked_text(*bytes, file) : std::nullopt;
}

}  // namespace

LocalLinks::LocalLinks(LocalLinkOptions options, const GitChanges* changes)
    : options_(std::move(options)), changes_(changes), known_(std::make_unique<Known>()) {}
LocalLinks::~LocalLinks() = default;

std::optional<Url> LocalLinks::base_of(const Seed& list) {
  if (list.path.empty()) return std::nullopt;
  constexpr parser::ByteSet escaped = parser::path_encode_set.with("%\\|:");
  std::string text = "file://";
  parser::append_percent_encoded(text, full_path(list.path).string(), escaped);
  const auto url = Url::parse(text);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

// Returns true if the <base> of an HTML page points elsewhere: then the target is on a site, not in the folder.
bool LocalLinks::leaves_by_base(const ListPlace& place, const Url& target, std::string_view written) {
  if (!place.base || !place.has_base_element) return false;
  const Result<Url> plain = Url::parse(written, *place.base);
  if (!plain || plain->path() == target.path()) return false;
  const std::string_view folder = place.base->path().substr(0, place.base->path().rfind('/') + 1);
  return !target.path().starts_with(folder);
}

const LocalLinks::ListPlace& LocalLinks::place_of(const Seed& list) {
  std::optional<ListPlace>& known = known_->list;
  if (known && known->named == list.path) return *known;
  known.emplace();
  known->named = list.path;
  known->full = full_path(list.path);
  known->repository = repository_of(known->full);
  known->base = base_of(list);
  known->has_base_element =
      list.format == parser::ListFormat::html && parser::contains_ignoring_case(list.text, "<base");
  known->folders = &folders_of(known->full, known->repository);
  return *known;
}

// Lists that may access the same folders share them, and with them what was found there.
const OpenFolders& LocalLinks::folders_of(const fs::path& file, const std::optional<fs::path>& repository) {
  const fs::path own = file.parent_path();
  const OpenFolders*& known = known_->folders_of_lists[own.string()];
  if (known != nullptr) return *known;
  OpenFolders folders;
  const fs::path here = full_path(".");
  if (repository) {
    folders.add(*repository);
  } else if (here.has_relative_path() && is_below(here, own)) {
    folders.add(here);
  }
  folders.add(own);
  if (!options_.root_dir.empty()) folders.add(full_path(options_.root_dir));
  const auto same = std::ranges::find(known_->folders, folders);
  known = same != known_->folders.end() ? &*same : &known_->folders.emplace_back(std::move(folders));
  return *known;
}

const LocalLinks::Found& LocalLinks::find(const Seed& list, const Url& target, std::string_view written) {
  const ListPlace& place = place_of(list);
  Found found;
  found.path = parser::percent_decode(target.path());
  bool has_root = true;
  if (is_root_relative(written) || leaves_by_base(place, target, written)) {
    const std::optional<fs::path> root =
        options_.root_dir.empty() ? place.repository : std::optional<fs::path>(full_path(options_.root_dir));
    found.root_known = !options_.root_dir.empty();
    has_root = root.has_value();  // the root of a site is not the root of this file system
    if (has_root) found.path = *root / found.path.relative_path();
  }
  std::string key =
      fmt::format("{}{}{}{}", has_root, found.root_known, static_cast<const void*>(place.folders), found.path.native());
  if (known_->found.size() >= most_files) known_->found.clear();
  const auto [known, is_new] = known_->found.try_emplace(std::move(key));
  if (!is_new) return known->second;
  if (has_root && found.path.native().find('\0') == std::string::npos) look_up(*place.folders, found);
  found.name = reported_name(found.path);
  return known->second = std::move(found);
}

// Fills in what there is at the path, or at those that stand in for it.
void LocalLinks::look_up(const OpenFolders& folders, Found& found) const {
  const auto look = [&](const fs::path& path) {
    found.file = folders.look(path);
    const bool is_there = found.file.type != fs::file_type::not_found;
    if (is_there) found.path = path;
    const bool may_be_removed = !is_there && !found.file.outside && changes_ != nullptr && found.removed.empty();
    if (may_be_removed && changes_->had(path)) found.removed = path;
    return is_there;
  };
  if (!look(found.path)) {
    const fs::path bare = found.path;
    const FoundFile first = found.file;
    const bool any = std::ranges::any_of(options_.fallback_extensions, [&](const std::string& extension) {
      return look(bare.string() + "." + extension);
    });
    if (!any) found.file = first;
  }
  if (found.file.type != fs::file_type::directory || options_.index_files.empty()) return;
  const fs::path folder = found.path;
  const bool has_index = std::ranges::any_of(
      options_.index_files, [&](const std::string& name) { return name != "." && look(folder / name); });
  if (!has_index && std::ranges::find(options_.index_files, ".") != options_.index_files.end()) {
    found.file = {.type = fs::file_type::directory};
  } else if (!has_index) {
    found.path = folder / options_.index_files.front();
    found.file = {};
  }
}

LocalLinks::Place LocalLinks::look_for(const Seed& list, const fs::path& file, std::string_view fragment,
                                       std::string& suggestion) {
  if (is_line_reference(fragment) || is_route(fragment)) return Place::there;
  const bool is_own = file == place_of(list).full;
  const auto text_of = [&] {
    if (!is_own) return read_linked_text(file);
    if (!parser::has_known_anchors(list.format)) return std::optional<LinkedText>();
    return std::optional<LinkedText>({list.text, list.format});
  };
  if (known_->anchors.size() >= most_files || known_->anchor_count >= most_anchors) {
    known_->anchors.clear();
    known_->anchor_count = 0;
  }
  const auto [known, is_new] = known_->anchors.try_emplace(file.string());
  if (is_new) {
    if (const auto read = text_of()) known->second.emplace(parser::anchors_in(read->text, read->format));
    if (known->second) known_->anchor_count += known->second->size();
  }
  if (!known->second || known->second->has(fragment)) return Place::there;
  const auto read = text_of();  // again: only few files lack an anchor
  if (read && parser::is_built_by_script(read->text, read->format)) return Place::made_by_script;
  if (read && known->second->size() <= comparisons_left_) suggestion = other_anchor(read->text, read->format, fragment);
  return Place::missing;
}

std::string LocalLinks::other_file(const Seed& list, const fs::path& missing) {
  constexpr std::size_t most_files_of_folder = 1000;
  const fs::path folder = missing.parent_path();
  if (place_of(list).folders->look(folder).type != fs::file_type::directory) return {};
  parser::NearestName nearest(missing.filename().string());
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && entry != fs::directory_iterator(); ++i) {
    if (i == most_files_of_folder || comparisons_left_ == 0) return {};
    --comparisons_left_;
    nearest.consider(to_valid_utf8(entry->path().filename().string()));
    entry.increment(error);
  }
  return parser::did_you_mean(nearest);
}

std::string LocalLinks::other_anchor(std::string_view text, parser::ListFormat format, std::string_view missing) {
  constexpr std::size_t bytes_per_comparison = 1000;  // that are read for them
  const std::vector<std::string> names = parser::anchors_in(text, format);
  comparisons_left_ -= std::min(comparisons_left_, std::max(names.size(), text.size() / bytes_per_comparison) + 1);
  parser::NearestName nearest(shown(missing));
  for (const std::string& name : names) nearest.consider(name);
  return parser::did_you_mean(nearest, "#");
}

void LocalLinks::blame_change(const Seed& list, const Found& found, std::string_view written,
                              storage::Verdict& verdict) const {
  if (changes_ == nullptr) return;
  std::string what;
  if (!found.removed.empty()) {
    const std::optional<fs::path> renamed = changes_->later_path(found.removed);
    what = renamed ? fmt::format("renames {} to {}", reported_name(found.removed), reported_name(*renamed))
                   : fmt::format("removes {}", reported_name(found.removed));
  } else if (const std::optional<fs::path> former = changes_->former_path(list.path)) {
    Seed moved;
    moved.path = *former;
    const std::optional<Url> base = base_of(moved);
    if (!base) return;
    const Result<Url> target = Url::parse(written, *base);
    if (target.has_error() || !changes_->had(parser::percent_decode(target->path()))) return;
    what = fmt::format("moves the list from {}", reported_name(*former));
  } else {
    return;
  }
  verdict.rule = storage::broken_by_change_rule;
  verdict.evidence = "broken by this change, which " + what;
}

void LocalLinks::blame_change(const Found& found, std::string_view fragment, storage::Verdict& verdict) {
  if (changes_ == nullptr) return;
  if (known_->former_anchors.size() >= most_files) known_->former_anchors.clear();
  const auto [known, is_new] = known_->former_anchors.try_emplace(found.path.string());
  if (is_new) {
    const fs::path former = changes_->former_path(found.path).value_or(found.path);
    const std::optional<std::string> bytes = changes_->bytes_of(former, largest_file);
    const std::optional<LinkedText> read = bytes ? linked_text(*bytes, former) : std::nullopt;
    if (read) known->second.emplace(parser::anchors_in(read->text, read->format));
  }
  if (!known->second || !known->second->has(fragment)) return;
  verdict.rule = storage::broken_by_change_rule;
  verdict.evidence =
      fmt::format("broken by this change, which removes the anchor \"{}\" of {}", shown(fragment), found.name);
}

LocalVerdict LocalLinks::judge(const Seed& list, const Url& target, std::string_view written) {
  LocalVerdict local;
  if (!target.host().empty()) {
    local.name = target.href();
    local.verdict = without_request(Health::skipped, storage::reason::unsupported_scheme, "scheme",
                                    "a file on another machine, " + std::string(target.host()));
    return local;
  }
  const Found& found = find(list, target, written);
  local.name = found.name;
  if (found.file.type == fs::file_type::not_found) {
    if (found.file.outside) {
      local.verdict = without_request(Health::skipped, storage::reason::outside_root, "file",
                                      fmt::format("{} is outside of the list's folder or repository", local.name));
    } else if (!found.file.error.empty()) {
      local.verdict = without_request(Health::skipped, storage::reason::relative_link, "file",
                                      fmt::format("{} cannot be read: {}", local.name, found.file.error));
    } else if (!found.root_known) {
      local.verdict =
          without_request(Health::skipped, storage::reason::relative_link, "file",
                          "relative to the root of a site: name its folder with --root-dir, or give --base-url");
    } else {
      local.verdict = without_request(Health::dead, storage::reason::file_not_found, "file",
                                      fmt::format("{} is not there{}", local.name, other_file(list, found.path)));
      blame_change(list, found, written, local.verdict);
    }
    return local;
  }
  const std::string_view fragment = target.fragment();
  if (!options_.anchors || fragment.empty() || found.file.type != fs::file_type::regular) {
    local.verdict = without_request(Health::alive, storage::reason::ok, "file", fmt::format("{} is there", local.name));
    return local;
  }
  const std::string file = local.name;
  local.name += fmt::format("#{}", fragment);
  std::string suggestion;
  const Place place = look_for(list, found.path, fragment, suggestion);
  if (place == Place::there) {
    local.verdict = without_request(Health::alive, storage::reason::ok, "anchor", fmt::format("{} is there", file));
    return local;
  }
  const std::string missing = fmt::format("{} has no anchor \"{}\"", file, shown(fragment));
  if (place == Place::missing) {
    local.verdict = without_request(Health::dead, storage::reason::anchor_not_found, "anchor", missing + suggestion);
  } else {
    local.verdict = without_request(Health::suspect, storage::reason::anchor_not_found, "anchor",
                                    missing + "; but its scripts may make one");
    local.verdict.confidence = 0.6;
  }
  blame_change(found, fragment, local.verdict);
  return local;
}

void OpenFolders::add(const fs::path& folder) {
  fs::path named = folder.lexically_normal();
  if (!named.has_filename() && named.has_relative_path()) named = named.parent_path();  // "/folder/"
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  if (error) real = named;
  const bool is_known = std::ranges::any_of(folders_, [&](const Folder& known) {
    const std::optional<fs::path> rest = path_in(known.named, named);
    return rest && (*rest == "." ? known.real : known.real / *rest) == real;
  });
  if (!is_known) folders_.push_back({std::move(named), std::move(real)});
}

std::optional<OpenFolders::Place> OpenFolders::place_of(const fs::path& path) const {
  std::optional<Place> nearest;
  const auto take = [&](const fs::path& folder, const fs::path& real) {
    const std::optional<fs::path> rest = path_in(folder, path);
    if (rest && (!nearest || rest->native().size() < nearest->rest.native().size())) nearest = {real, *rest};
  };
  for (const Folder& folder : folders_) {
    take(folder.named, folder.real);
    take(folder.real, folder.real);
  }
  return nearest;
}

bool OpenFolders::holds(const fs::path& real) const {
  return std::ranges::any_of(folders_,
                             [&real](const Folder& folder) { return path_in(folder.real, real).has_value(); });
}

FoundFile OpenFolders::look(const fs::path& path) const {
  FoundFile outside{.outside = true};
  std::optional<Place> place = place_of(path.lexically_normal());
  if (!place) return outside;
  std::deque<fs::path> parts(place->rest.begin(), place->rest.end());
  fs::path at = place->folder;
  FoundFile found{.type = fs::file_type::directory};
  for (int links = 0; !parts.empty();) {
    if (found.type != fs::file_type::directory) return {};  // a file has no entries
    const fs::path part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      if (!holds(at)) return outside;
      continue;
    }
    std::error_code error;
    const fs::file_type type = fs::symlink_status(at / part, error).type();
    if (type == fs::file_type::not_found || says_absent(error)) return {};
    if (error) return {.error = error.message()};
    if (type != fs::file_type::symlink) {
      at /= part;
      found.type = type;
      continue;
    }
    const fs::path target = fs::read_symlink(at / part, error);
    if (error || ++links > most_symbolic_links) return {};
    if (target.is_absolute()) {
      place = place_of(target.lexically_normal());
      if (!place) return outside;
      at = place->folder;
    }
    const fs::path& way = target.is_absolute() ? place->rest : target;
    parts.insert(parts.begin(), way.begin(), way.end());
  }
  return found;
}

}  // namespace linkherd::crawler
