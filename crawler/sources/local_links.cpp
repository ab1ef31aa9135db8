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
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;
using storage::Health;
using storage::without_request;

namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;  // for reading anchors
constexpr std::size_t most_files = 4096;                     // whose anchors are cached
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

// Returns true if the <base> of an HTML page points elsewhere: then the target is on a site, not in the folder.
bool leaves_by_base(const Seed& list, const Url& target, std::string_view written) {
  const std::optional<Url> home = LocalLinks::base_of(list);
  if (!home || list.format != parser::ListFormat::html) return false;
  const Result<Url> plain = Url::parse(written, *home);
  if (!plain || plain->path() == target.path()) return false;
  const std::string_view folder = home->path().substr(0, home->path().rfind('/') + 1);
  return !target.path().starts_with(folder);
}

// Returns the root of the innermost repository that contains the file.
std::optional<fs::path> repository_of(const fs::path& file) {
  std::error_code error;
  fs::path folder = full_path(file).parent_path();
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

struct LocalLinks::Known {
  struct Anchors {
    std::optional<std::vector<std::string>> names;  // nullopt: unknown
    bool more_by_script = false;

    Place look_for(std::string_view fragment) const {
      if (!names || parser::has_anchor(*names, fragment)) return Place::there;
      return more_by_script ? Place::made_by_script : Place::missing;
    }
  };
  static Anchors anchors_of(std::string_view text, parser::ListFormat format) {
    if (!parser::has_known_anchors(format)) return {};
    return {parser::anchors_in(text, format), parser::is_built_by_script(text, format)};
  }

  std::unordered_map<std::string, Anchors> anchors;      // by file
  std::unordered_map<std::string, OpenFolders> folders;  // by folder of a list: its allowed folders
};

struct LocalLinks::Found {
  fs::path path;
  FoundFile file;
  bool root_known = true;  // false: the folder of "/x" targets is unknown
};

LocalLinks::LocalLinks(LocalLinkOptions options) : options_(std::move(options)), known_(std::make_unique<Known>()) {}
LocalLinks::~LocalLinks() = default;

std::optional<Url> LocalLinks::base_of(const Seed& list) {
  if (list.path.empty()) return std::nullopt;
  constexpr parser::ByteSet escaped = parser::path_encode_set.with("%\\|:");
  std::string text = "file://";
  parser::append_percent_encoded(text, full_path(list.path).string(), escaped);
  const auto url = Url::parse(text);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

const OpenFolders& LocalLinks::folders_of(const Seed& list) {
  const fs::path own = full_path(list.path).parent_path();
  const auto [known, is_new] = known_->folders.try_emplace(own.string());
  OpenFolders& folders = known->second;
  if (!is_new) return folders;
  const fs::path here = full_path(".");
  if (const std::optional<fs::path> repository = repository_of(list.path)) {
    folders.add(*repository);
  } else if (here.has_relative_path() && is_below(here, own)) {
    folders.add(here);
  }
  folders.add(own);
  if (!options_.root_dir.empty()) folders.add(full_path(options_.root_dir));
  return folders;
}

LocalLinks::Found LocalLinks::find(const Seed& list, const Url& target, std::string_view written) {
  Found found;
  const std::string decoded = parser::percent_decode(target.path());
  found.path = decoded;
  if (is_root_relative(written) || leaves_by_base(list, target, written)) {
    const std::optional<fs::path> root =
        options_.root_dir.empty() ? repository_of(list.path) : std::optional<fs::path>(full_path(options_.root_dir));
    found.root_known = !options_.root_dir.empty();
    if (!root) return found;  // the root of a site is not the root of this file system
    found.path = *root / found.path.relative_path();
  }
  if (decoded.find('\0') != std::string::npos) return found;
  const OpenFolders& folders = folders_of(list);
  const auto look = [&](const fs::path& path) {
    found.file = folders.look(path);
    const bool is_there = found.file.type != fs::file_type::not_found;
    if (is_there) found.path = path;
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
  if (found.file.type != fs::file_type::directory || options_.index_files.empty()) return found;
  const fs::path folder = found.path;
  const bool has_index = std::ranges::any_of(
      options_.index_files, [&](const std::string& name) { return name != "." && look(folder / name); });
  if (!has_index && std::ranges::find(options_.index_files, ".") != options_.index_files.end()) {
    found.file = {.type = fs::file_type::directory};
  } else if (!has_index) {
    found.path = folder / options_.index_files.front();
    found.file = {};
  }
  return found;
}

LocalLinks::Place LocalLinks::look_for(const Seed& list, const fs::path& file, std::string_view fragment) {
  if (is_line_reference(fragment) || is_route(fragment)) return Place::there;
  auto& known = known_->anchors;
  const auto found = known.find(file.string());
  if (found != known.end()) return found->second.look_for(fragment);
  Known::Anchors anchors;
  if (file == full_path(list.path)) {
    anchors = Known::anchors_of(list.text, list.format);
  } else if (const Result<std::string> bytes = read_file_bytes(file, largest_file);
             bytes.has_value() && !parser::is_binary(*bytes)) {
    const std::string text = parser::decode_text(*bytes).text;
    anchors = Known::anchors_of(text, parser::detect_list_format(file.filename().string(), text));
  }
  const Place place = anchors.look_for(fragment);
  if (known.size() >= most_files) known.clear();
  known.emplace(file.string(), std::move(anchors));
  return place;
}

LocalVerdict LocalLinks::judge(const Seed& list, const Url& target, std::string_view written) {
  LocalVerdict local;
  if (!target.host().empty()) {
    local.name = target.href();
    local.verdict = without_request(Health::skipped, storage::reason::unsupported_scheme, "scheme",
                                    "a file on another machine, " + std::string(target.host()));
    return local;
  }
  const Found found = find(list, target, written);
  local.name = reported_name(found.path);
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
                                      fmt::format("{} is not there", local.name));
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
  const Place place = look_for(list, found.path, fragment);
  if (place == Place::there) {
    local.verdict = without_request(Health::alive, storage::reason::ok, "anchor", fmt::format("{} is there", file));
    return local;
  }
  const std::string missing = fmt::format("{} has no anchor \"{}\"", file, shown(fragment));
  if (place == Place::missing) {
    local.verdict = without_request(Health::dead, storage::reason::anchor_not_found, "anchor", missing);
  } else {
    local.verdict = without_request(Health::suspect, storage::reason::anchor_not_found, "anchor",
                                    missing + "; but its scripts may make one");
    local.verdict.confidence = 0.6;
  }
  return local;
}

void OpenFolders::add(const fs::path& folder) {
  fs::path named = folder.lexically_normal();
  if (!named.has_filename() && named.has_relative_path()) named = named.parent_path();  // "/folder/"
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  folders_.push_back({named, error ? named : std::move(real)});
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
