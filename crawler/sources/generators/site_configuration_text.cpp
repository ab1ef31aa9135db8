#include "crawler/sources/generators/site_configuration_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/site_roots.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_folder_entries = 1000;  // of a folder that is searched for configuration files
constexpr std::size_t max_further_files = 16;
constexpr int max_inherited = 4;

// Returns the sorted entries of the folder that `is_wanted` returns true for.
std::vector<fs::path> entries_of(const fs::path& folder, const std::function<bool(const fs::path&)>& is_wanted) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && i < max_folder_entries && entry != fs::directory_iterator(); ++i) {
    if (is_wanted(entry->path())) found.push_back(entry->path());
    entry.increment(error);
  }
  std::ranges::sort(found);
  return found;
}

bool is_script(const fs::path& file) {
  constexpr std::array<std::string_view, 5> endings{".ts", ".mts", ".js", ".mjs", ".cjs"};
  return parser::is_one_of(endings, file.extension().native());
}

bool is_data(const fs::path& file) {
  constexpr std::array<std::string_view, 4> endings{".toml", ".yaml", ".yml", ".json"};
  return parser::is_one_of(endings, file.extension().native());
}

bool is_of_hugo(const fs::path& file) {
  constexpr std::array<std::string_view, 4> names{"hugo", "config", "module", "languages"};
  return is_data(file) && parser::is_one_of(names, file.stem().native());
}

bool is_of_jekyll(const fs::path& file) {
  const std::string name = file.filename();
  return is_data(file) &&
         (name.starts_with("_config.") || name.starts_with("_config_") || name.starts_with("_config-"));
}

class ConfigurationReader {
 public:
  ConfigurationReader(const SiteConfiguration& configuration, std::size_t max_bytes, const fs::path& inside)
      : configuration_(configuration), max_bytes_(max_bytes), inside_(inside) {}

  std::string run() {
    add(configuration_.file);
    switch (configuration_.generator) {
      case SiteGenerator::hugo: hugo(); break;
      case SiteGenerator::vitepress: add_all(configuration_.folder / ".vitepress/config", is_script); break;
      case SiteGenerator::vuepress: vuepress(); break;
      case SiteGenerator::mkdocs: mkdocs(); break;
      case SiteGenerator::jekyll: add_all(configuration_.folder, is_of_jekyll); break;
      default: break;
    }
    return std::move(text_);
  }

 private:
  void add_all(const fs::path& folder, const std::function<bool(const fs::path&)>& is_wanted) {
    for (const fs::path& file : entries_of(folder, is_wanted))
      if (file != configuration_.file) add(file);
  }

  // Hugo merges the folder of its environment into the default one. The environment is unknown, so all are read.
  void hugo() {
    const fs::path folder = configuration_.folder / "config";
    const fs::path usual = folder / "_default";
    add_all(usual, is_of_hugo);
    std::error_code error;
    const auto is_environment = [&](const fs::path& entry) { return entry != usual && fs::is_directory(entry, error); };
    for (const fs::path& environment : entries_of(folder, is_environment)) {
      if (count_ > max_further_files) return;
      add_all(environment, is_of_hugo);
    }
  }

  void vuepress() {
    const fs::path folder = configuration_.folder / ".vuepress";
    add_all(folder, [](const fs::path& file) { return file.stem() == "config" && (is_script(file) || is_data(file)); });
    add_all(folder / "config", is_script);
  }

  void mkdocs() {
    fs::path file = configuration_.file;
    std::string newest = text_;
    for (int i = 0; i < max_inherited; ++i) {
      const std::vector<std::string> parents = configured_texts(newest, "INHERIT");
      if (parents.empty()) return;
      file = (file.parent_path() / parents.front()).lexically_normal();
      const std::size_t before = text_.size();
      add(file);
      newest = text_.substr(before);
    }
  }

  void add(const fs::path& file) {
    constexpr std::string_view between = "\n\n";
    std::error_code error;
    if (text_.size() + between.size() >= max_bytes_ || count_ > max_further_files) return;
    if (!fs::is_regular_file(file, error)) return;
    const Result<std::string> text = read_file_start(file, max_bytes_ - text_.size() - between.size(), inside_);
    if (!text) return;
    ++count_;
    if (!text_.empty()) text_ += between;
    text_ += *text;
  }

  const SiteConfiguration& configuration_;
  std::size_t max_bytes_;
  const fs::path& inside_;
  std::size_t count_ = 0;  // of the files read
  std::string text_;
};

}  // namespace

std::string read_configuration(const SiteConfiguration& configuration, std::size_t max_bytes, const fs::path& inside) {
  return ConfigurationReader(configuration, max_bytes, inside).run();
}

}  // namespace linkherd::crawler
