#include "crawler/sources/generators/antora_components.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <system_error>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr const char* configuration_name = "antora.yml";
constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

// Reads the properties at the top level of a YAML mapping, with or without braces. Skips nested values.
class YamlProperties {
 public:
  explicit YamlProperties(std::string_view yaml) : rest_(yaml) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    skip_to_first_line();
    is_flow_ = rest_.substr(std::min(indent_, rest_.size())).starts_with('{');
    if (is_flow_) rest_.remove_prefix(indent_ + 1);
  }

  // Returns the next name and value, or nullopt at the end. The value is empty if it is no text.
  std::optional<std::pair<std::string_view, std::string_view>> next() {
    return is_flow_ ? next_in_braces() : next_line();
  }

 private:
  static bool has_text(std::string_view line) {
    const std::string_view text = parser::trim_ascii(line);
    return !text.empty() && text.front() != '#' && text.front() != '%' && !text.starts_with("---");
  }

  std::string_view take_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return line;
  }

  void skip_to_first_line() {
    while (!rest_.empty()) {
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      if (has_text(line)) {
        indent_ = line.find_first_not_of(blanks);
        return;
      }
      take_line();
    }
  }

  // Takes a quoted text or the text before one of the ends.
  static std::string_view take_text(std::string_view& from, std::string_view ends) {
    const bool is_quoted = from.starts_with('"') || from.starts_with('\'');
    const std::size_t start = is_quoted ? 1 : 0;
    const std::size_t end = std::min(is_quoted ? from.find(from.front(), 1) : from.find_first_of(ends), from.size());
    const std::string_view text = from.substr(start, end - start);
    from.remove_prefix(std::min(end + start, from.size()));
    return is_quoted ? text : parser::trim_ascii(text);
  }

  static void skip_blanks(std::string_view& from, std::string_view skipped) {
    from.remove_prefix(std::min(from.find_first_not_of(skipped), from.size()));
  }

  static std::string_view value_of(std::string_view written) {
    if (written.starts_with('"') || written.starts_with('\'')) return take_text(written, "");
    const std::size_t comment = written.starts_with('#') ? 0 : written.find(" #");
    const std::string_view value = parser::trim_ascii(written.substr(0, comment));
    const bool is_text = !value.empty() && std::string_view("~{[&*!|>").find(value.front()) == std::string_view::npos;
    return is_text && value != "null" ? value : std::string_view();
  }

  std::optional<std::pair<std::string_view, std::string_view>> next_line() {
    while (!rest_.empty()) {
      std::string_view line = take_line();
      if (!has_text(line) || line.find_first_not_of(blanks) != indent_) continue;
      line = parser::trim_ascii(line);
      const std::string_view name = take_text(line, ":");
      skip_blanks(line, blanks);
      if (!line.starts_with(':') || (line.size() > 1 && !is_blank(line[1]))) continue;
      return std::pair(name, value_of(parser::trim_ascii(line.substr(1))));
    }
    return std::nullopt;
  }

  std::optional<std::pair<std::string_view, std::string_view>> next_in_braces() {
    skip_blanks(rest_, " \t\r\n,");
    if (rest_.empty() || rest_.front() == '}') return std::nullopt;
    const std::string_view name = take_text(rest_, ":,}");
    skip_blanks(rest_, blanks);
    if (!rest_.starts_with(':')) return std::pair(name, std::string_view());
    rest_.remove_prefix(1);
    skip_blanks(rest_, blanks);
    if (rest_.starts_with('{') || rest_.starts_with('[')) {
      skip_nested();
      return std::pair(name, std::string_view());
    }
    const bool is_quoted = rest_.starts_with('"') || rest_.starts_with('\'');
    const std::string_view text = take_text(rest_, ",}\n");
    return std::pair(name, is_quoted ? text : value_of(text));
  }

  void skip_nested() {
    std::size_t depth = 0;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"' || c == '\'') {
        take_text(rest_, "");
        continue;
      }
      rest_.remove_prefix(1);
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return;
    }
  }

  std::string_view rest_;
  std::size_t indent_ = 0;
  bool is_flow_ = false;
};

// Takes the digits at the beginning, without leading zeros.
std::string_view take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// Compares numbers in versions by value: "1.10" is after "1.9".
std::strong_ordering compare_versions(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    if (parser::is_ascii_digit(left.front()) && parser::is_ascii_digit(right.front())) {
      const std::string_view left_number = take_number(left);
      const std::string_view right_number = take_number(right);
      if (const auto by_size = left_number.size() <=> right_number.size(); std::is_neq(by_size)) return by_size;
      if (const auto by_digits = left_number <=> right_number; std::is_neq(by_digits)) return by_digits;
      continue;
    }
    if (const auto by_character = left.front() <=> right.front(); std::is_neq(by_character)) return by_character;
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  return left.size() <=> right.size();
}

// Returns the names of files and folders in a folder, sorted: the order of the file system is arbitrary.
std::vector<fs::path> sorted_entries(const fs::path& folder) {
  constexpr std::size_t max_entries = 10000;
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entries.size() == max_entries) break;
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

// Returns true if `path` is in the repository and may be read: git's own files may not.
bool is_readable_in(const fs::path& repository, const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const bool is_of_git = !repository.empty() && is_inside(repository / ".git", real);
  return !error && !is_of_git && is_inside(repository, real);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return parser::trim_ascii_end(line);
}

// The page that an id names. Its path is relative to a folder of the component.
struct AntoraPage {
  AntoraComponent component;
  bool has_version = true;  // false: the latest version
  fs::path path;
};

// Returns the page that an id names in a page of a component. `module` is the folder of the module of that page,
// `folder` its own folder; both are relative to the folder of the component.
AntoraPage page_of_id(std::string_view id, const AntoraComponent& own, const fs::path& module, const fs::path& folder) {
  constexpr std::string_view extension = ".adoc";
  constexpr std::string_view family = "page$";
  AntoraPage page{own, true, {}};
  const std::size_t at = id.find('@');
  if (at != std::string_view::npos) {
    page.component.version = id.substr(0, at);
    id.remove_prefix(at + 1);
  }
  fs::path pages = module / "pages";
  const std::size_t colon = id.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view name = id.substr(0, colon);
    if (const std::size_t first = name.find(':'); first != std::string_view::npos) {
      page.component.name = name.substr(0, first);
      page.has_version = at != std::string_view::npos;
      name.remove_prefix(first + 1);
    }
    pages = fs::path("modules") / (name.empty() ? std::string_view("ROOT") : name) / "pages";
    id.remove_prefix(colon + 1);
  }
  if (id.starts_with(family)) id.remove_prefix(family.size());
  const fs::path& base = id.starts_with("./") || id.starts_with("../") ? folder : pages;
  page.path = (base / fs::path(id).relative_path()).lexically_normal();
  if (!id.ends_with(extension)) page.path += extension;
  return page;
}

}  // namespace

std::string describe(const AntoraComponent& component) {
  return component.version.empty() ? component.name : component.version + '@' + component.name;
}

std::optional<AntoraComponent> component_of_resource(std::string_view id) {
  const std::string_view path = id.substr(0, id.find('#'));
  const std::size_t first = path.find(':');
  if (first == std::string_view::npos || first == path.rfind(':')) return std::nullopt;
  const std::string_view name = path.substr(0, first);
  const std::size_t at = name.find('@');
  const bool is_name = !name.empty() && name.find('/') == std::string_view::npos && path[first + 1] != '/';
  if (!is_name) return std::nullopt;
  if (at == std::string_view::npos) return AntoraComponent{std::string(name), {}};
  return AntoraComponent{std::string(name.substr(at + 1)), std::string(name.substr(0, at))};
}

std::optional<AntoraComponent> parse_antora_component(std::string_view yaml) {
  AntoraComponent component;
  YamlProperties properties(yaml);
  while (const auto property = properties.next()) {
    if (property->first == "name") component.name = property->second;
    if (property->first == "version") component.version = property->second;
  }
  return component.name.empty() ? std::nullopt : std::optional(std::move(component));
}

std::optional<AntoraFolder> read_antora_folder(const fs::path& folder, const fs::path& repository) {
  constexpr std::size_t max_bytes = std::size_t{1} << 16;
  const fs::path file = folder / configuration_name;
  if (!is_readable_in(repository, file)) return std::nullopt;
  const Result<std::string> text = read_file_start(file, max_bytes, repository);
  std::optional<AntoraComponent> component = text ? parse_antora_component(*text) : std::nullopt;
  if (!component) return std::nullopt;
  return AntoraFolder{folder, std::move(*component)};
}

std::vector<AntoraFolder> find_antora_folders(const fs::path& parent, const fs::path& repository) {
  constexpr std::size_t max_folders = 200;
  std::vector<AntoraFolder> folders;
  for (const fs::path& entry : sorted_entries(parent)) {
    if (folders.size() == max_folders) break;
    if (std::optional<AntoraFolder> folder = read_antora_folder(entry, repository))
      folders.push_back(std::move(*folder));
  }
  std::ranges::stable_sort(folders, [](const AntoraFolder& left, const AntoraFolder& right) {
    if (left.component.name != right.component.name) return left.component.name < right.component.name;
    return std::is_gt(compare_versions(left.component.version, right.component.version));
  });
  return folders;
}

std::vector<fs::path> antora_paths(const fs::path& resource) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> old_folders{
      {{"images", "assets/images"},
       {"attachments", "assets/attachments"},
       {"partials", "pages/_partials"},
       {"pages", "documents"}}};
  std::vector<fs::path> paths{resource};
  auto part = resource.begin();
  if (part == resource.end() || *part != "modules" || ++part == resource.end()) return paths;
  const fs::path module = fs::path("modules") / *part;
  if (++part == resource.end()) return paths;
  const auto* const old = std::ranges::find(old_folders, std::string_view(part->native()),
                                            &std::pair<std::string_view, std::string_view>::first);
  if (old != old_folders.end()) paths.push_back(module / old->second / resource.lexically_relative(module / *part));
  return paths;
}

std::vector<std::string> parse_page_aliases(std::string_view asciidoc) {
  constexpr std::string_view attribute = ":page-aliases:";
  constexpr std::string_view continuation = " \\";
  std::vector<std::string> aliases;
  bool has_title = false;
  while (!asciidoc.empty()) {
    std::string_view line = take_line(asciidoc);
    if (line.empty() && has_title) break;  // the end of the header
    has_title = has_title || line.starts_with("= ") || line.starts_with("# ");
    const bool may_precede_title = line.empty() || std::string_view(":/[=#i").find(line[0]) != std::string_view::npos;
    if (!has_title && !may_precede_title) break;
    if (!line.starts_with(attribute)) continue;
    line.remove_prefix(attribute.size());
    std::string value(line);
    while (value.ends_with(continuation)) {
      value.resize(value.size() - continuation.size());
      value.append(1, ' ').append(parser::trim_ascii(take_line(asciidoc)));
    }
    aliases.clear();  // the last value counts
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::string_view id = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(id.size() + 1, rest.size()));
      if (!parser::trim_ascii(id).empty()) aliases.emplace_back(parser::trim_ascii(id));
    }
  }
  return aliases;
}

AntoraComponents::AntoraComponents(std::vector<AntoraFolder> folders, fs::path repository)
    : folders_(std::move(folders)), repository_(std::move(repository)) {
  for (std::uint32_t i = 0; i < folders_.size(); ++i) {
    by_path_.try_emplace(folders_[i].folder.native(), i);
    by_name_[folders_[i].component.name].folders.push_back(i);
  }
}

const AntoraFolder* AntoraComponents::folder_around(const fs::path& path) const {
  std::string_view around = path.native();
  while (!around.empty()) {
    const auto known = by_path_.find(std::string(around));
    if (known != by_path_.end()) return &folders_[known->second];
    const std::size_t slash = around.rfind('/');
    around = around.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return nullptr;
}

std::vector<const AntoraFolder*> AntoraComponents::folders_of(const AntoraComponent& component) const {
  std::vector<const AntoraFolder*> found;
  const auto known = by_name_.find(component.name);
  if (known == by_name_.end()) return found;
  for (const std::uint32_t index : known->second.folders) {
    const AntoraFolder& folder = folders_[index];
    if (component.version.empty() || folder.component.version == component.version) found.push_back(&folder);
  }
  return found;
}

std::vector<const AntoraFolder*> AntoraComponents::folders_with(const AntoraComponent& component,
                                                                const fs::path& resource) {
  constexpr std::size_t max_names = std::size_t{1} << 20;
  std::vector<const AntoraFolder*> found;
  const auto known = by_name_.find(component.name);
  if (known == by_name_.end()) return found;
  Indexes indexes;
  for (const fs::path& path : antora_paths(resource)) {
    const Indexes& with_path = indexes_with(known->second, path);
    indexes.insert(indexes.end(), with_path.begin(), with_path.end());
  }
  if (names_ >= max_names) return folders_of(component);
  std::ranges::sort(indexes);
  for (const std::uint32_t index : indexes) {
    const AntoraFolder& folder = folders_[index];
    const bool is_version = component.version.empty() || folder.component.version == component.version;
    if (is_version && (found.empty() || found.back() != &folder)) found.push_back(&folder);
  }
  return found;
}

// Returns the folders that have the path, which is relative.
const AntoraComponents::Indexes& AntoraComponents::indexes_with(Component& component, const fs::path& path) {
  static const Indexes none;
  const Indexes* indexes = &component.folders;
  std::string above;
  for (const fs::path& part : path) {
    if (part.empty()) continue;  // after the last slash
    const Names& names = list(component, above, *indexes);
    const auto known = names.find(part.native());
    if (part == ".." || known == names.end()) return none;
    indexes = &known->second;
    above.append(1, '/').append(part.native());
  }
  return *indexes;
}

// Returns the names in one folder of several components.
const AntoraComponents::Names& AntoraComponents::list(Component& component, const std::string& path,
                                                      const Indexes& folders) {
  const auto [listed, is_new] = component.listed.try_emplace(path);
  if (!is_new) return listed->second;
  for (const std::uint32_t index : folders) {
    const fs::path folder = folders_[index].folder.native() + path;
    std::error_code error;
    if (!fs::is_directory(folder, error) || !is_readable_in(repository_, folder)) continue;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      listed->second[entry->path().filename().native()].push_back(index);
      ++names_;
    }
  }
  return listed->second;
}

std::optional<fs::path> AntoraComponents::page_of_alias(const AntoraComponent& component, const fs::path& resource) {
  if (!aliases_) read_aliases();
  PageKey key{component.name, component.version, resource.native()};
  auto known = aliases_->find(key);
  if (known == aliases_->end()) {
    std::get<1>(key) = std::nullopt;
    known = aliases_->find(key);
  }
  return known == aliases_->end() ? std::nullopt : std::optional(known->second);
}

void AntoraComponents::read_aliases() {
  aliases_.emplace();
  for (const AntoraFolder& folder : folders_) {
    for (const fs::path& module : sorted_entries(folder.folder / "modules")) {
      if (is_readable_in(repository_, module / "pages")) read_aliases_below(folder, module);
    }
  }
}

// Reads the aliases of the pages of a module. The first page with an alias has it.
void AntoraComponents::read_aliases_below(const AntoraFolder& folder, const fs::path& module) {
  constexpr std::size_t max_header_bytes = std::size_t{1} << 14;
  const fs::path own_module = module.lexically_relative(folder.folder);
  std::error_code error;
  std::vector<fs::path> pages;
  for (fs::recursive_directory_iterator entry(module / "pages", error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".adoc") pages.push_back(entry->path());
  }
  std::ranges::sort(pages);
  for (const fs::path& page : pages) {
    const Result<std::string> text = read_file_start(page, max_header_bytes, repository_);
    if (!text) continue;
    const fs::path own_folder = page.lexically_relative(folder.folder).parent_path();
    for (const std::string& id : parse_page_aliases(*text)) {
      const AntoraPage alias = page_of_id(id, folder.component, own_module, own_folder);
      const std::optional<std::string> version =
          alias.has_version ? std::optional(alias.component.version) : std::nullopt;
      aliases_->try_emplace({alias.component.name, version, alias.path.native()}, page);
    }
  }
}

}  // namespace linkherd::crawler
