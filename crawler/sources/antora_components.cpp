#include "crawler/sources/antora_components.h"

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
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  const bool is_of_git = !repository.empty() && is_inside(repository / ".git", real);
  if (error || is_of_git || !is_inside(repository, real)) return std::nullopt;
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

}  // namespace linkherd::crawler
