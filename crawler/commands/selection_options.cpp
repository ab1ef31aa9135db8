#include "crawler/commands/selection_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <spdlog/spdlog.h>

#include "crawler/commands/option_types.h"
#include "crawler/commands/store_location.h"
#include "crawler/sources/file_bytes.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "reports/escape.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::array<EnumName<bool>, 2> fragment_names{{{false, "none"}, {true, "anchor-only"}}};
constexpr std::array<const char*, 2> ignore_files = {".linkherdignore", ".lycheeignore"};
constexpr std::size_t largest_ignore_file = std::size_t{1} << 20;

void add_patterns_of(const fs::path& file, std::vector<SourcedPattern>& patterns) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return;  // anything else must be readable
  const Result<std::string> text = read_file_bytes(file, largest_ignore_file);
  if (text.has_error()) throw CLI::ValidationError(file.string(), text.error().message);
  spdlog::info("links to leave out are read from {}", reports::escape_for_terminal(file.string()));
  for (SourcedPattern& pattern : patterns_in(parser::decode_text(*text).text, file.string()))
    patterns.push_back(std::move(pattern));
}

std::vector<SourcedPattern> from_option(const std::vector<std::string>& patterns, const char* option) {
  std::vector<SourcedPattern> all;
  all.reserve(patterns.size());
  for (const std::string& pattern : patterns) all.push_back({option, pattern});
  return all;
}

std::string refuse_unknown_scheme(const std::string& text) {
  static constexpr std::array<std::string_view, 4> judged = {"http", "https", "file", "mailto"};
  const std::string scheme = parser::to_ascii_lower(text.substr(0, text.find(':')));
  if (std::ranges::find(judged, scheme) != judged.end()) return {};
  return fmt::format("{} is no scheme whose links are checked; there are {}", text, fmt::join(judged, ", "));
}

void add_local_options(CLI::App& app, LocalLinkOptions& local) {
  app.add_option("--root-dir", local.root_dir, "The folder that links such as /x are below")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(rare_options);
  add_names(app, "--index-files", local.index_files, "A linked folder must have one of these; . is the folder itself")
      ->type_name("NAME,...")
      ->configurable()
      ->group(rare_options);
  add_names(app, "--fallback-extensions", local.fallback_extensions, "Tried where a linked file is not there")
      ->type_name("EXT,...")
      ->configurable()
      ->group(rare_options);
  add_choice(app, "--include-fragments", local.anchors, fragment_names,
             "Whether linked files must have the place behind the #")
      ->configurable()
      ->group(rare_options);
}

}  // namespace

void add_selection_options(CLI::App& app, Selection& selection) {
  app.add_option("--exclude", selection.exclude, "Leave out links in which this is found")
      ->type_name("REGEX")
      ->configurable();
  app.add_option("--include", selection.include, "Check links in which this is found, even if they are excluded")
      ->type_name("REGEX");
  app.add_option("--remap", selection.remap, "Rewrite links before they are checked")
      ->type_name("'REGEX TEXT'")
      ->group(rare_options);
  app.add_option("-s,--scheme", selection.schemes, "Only links with this scheme")
      ->check(refuse_unknown_scheme)
      ->type_name("NAME")
      ->configurable()
      ->group(rare_options);
  app.add_flag("--include-mail", selection.include_mail, "Also judge mail addresses, by their syntax")
      ->configurable()
      ->group(rare_options);
  add_local_options(app, selection.local);
}

void read_ignore_files(Selection& selection) {
  const fs::path root = repository_root().value_or(".");
  for (const char* name : ignore_files) {
    add_patterns_of(name, selection.ignored);
    if (root != ".") add_patterns_of(root / name, selection.ignored);
  }
}

LinkFilter make_link_filter(const Selection& selection) {
  LinkFilterOptions options;
  options.include = from_option(selection.include, "--include");
  options.exclude = from_option(selection.exclude, "--exclude");
  options.remap = selection.remap;
  options.schemes = selection.schemes;
  options.exclude.insert(options.exclude.end(), selection.ignored.begin(), selection.ignored.end());
  Result<LinkFilter> filter = LinkFilter::make(options);
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  return std::move(filter).value();
}

std::string describe_selection(const Selection& selection) {
  std::string text;
  const auto add = [&text](std::string_view key, const std::vector<std::string>& values) {
    for (const std::string& value : values) text.append(1, '\n').append(key).append(1, '=').append(value);
  };
  add("include", selection.include);
  add("exclude", selection.exclude);
  for (const SourcedPattern& pattern : selection.ignored) add("ignored", {pattern.pattern});
  add("remap", selection.remap);
  add("scheme", selection.schemes);
  add("include_mail", {selection.include_mail ? "1" : "0"});
  add("root_dir", {selection.local.root_dir});
  add("index_files", selection.local.index_files);
  add("fallback_extensions", selection.local.fallback_extensions);
  add("include_fragments", {selection.local.anchors ? "1" : "0"});
  return text;
}

}  // namespace linkherd::crawler
