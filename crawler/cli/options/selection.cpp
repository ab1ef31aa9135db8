#include "crawler/cli/options/selection.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/cli/options/store_location.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/join.h"
#include "parser/url/credentials.h"
#include "reports/escape.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

enum class Fragments : std::uint8_t { none, file, web };
constexpr std::array<EnumName<Fragments>, 3> fragment_names{
    {{Fragments::none, "none"}, {Fragments::file, "file"}, {Fragments::web, "web"}}};
constexpr std::array<const char*, 2> ignore_files = {".linkherdignore", ".lycheeignore"};
constexpr std::size_t max_ignore_file_bytes = std::size_t{1} << 20;

void add_patterns_of(const fs::path& file, std::vector<SourcedPattern>& patterns) {
  std::error_code error;
  // any other existing file must be readable
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return;
  const Result<std::string> text = read_file_bytes(file, max_ignore_file_bytes, own_repository());
  if (text.has_error()) throw CLI::ValidationError(file.string(), text.error().message);
  spdlog::info(fmt::format("reading exclude patterns from {}", reports::escape_for_terminal(file.string())));
  for (SourcedPattern& pattern : patterns_in(parser::decode_text(*text).text, file.string()))
    patterns.push_back(std::move(pattern));
}

std::vector<SourcedPattern> from_option(const std::vector<std::string>& patterns, const char* option) {
  std::vector<SourcedPattern> all;
  all.reserve(patterns.size());
  for (const std::string& pattern : patterns) all.push_back({option, pattern});
  return all;
}

// Parses "https://docs.example.org=site".
Result<SiteMapping> read_site_mapping(const std::string& text) {
  const std::size_t separator = text.find('=');
  const std::string address = text.substr(0, separator);
  const std::string shown = parser::mask_password(address);
  const Result<parser::Url> url = parser::Url::parse(address);
  if (url.has_error()) return Error{fmt::format("{} is not a valid URL: {}", shown, url.error().message)};
  const bool has_login = !url->username().empty() || !url->password().empty();
  if (!url->is_http() || has_login || url->has_query() || url->has_fragment())
    return Error{fmt::format("{} must be an http or https URL without login, query or fragment", shown)};
  SiteMapping site{*url};
  if (separator == std::string::npos) return site;
  site.folder = text.substr(separator + 1);
  if (site.folder.empty()) return Error{fmt::format("the folder after {}= is missing", shown)};
  if (const std::string problem = refuse_no_folder(site.folder); !problem.empty()) return Error{problem};
  return site;
}

}  // namespace

void read_ignore_files(Selection& selection) {
  const fs::path root = repository_root().value_or(".");
  for (const char* name : ignore_files) {
    add_patterns_of(name, selection.ignored);
    if (root != ".") add_patterns_of(root / name, selection.ignored);
  }
}

LinkFilterOptions filter_options(const Selection& selection) {
  if (selection.given) return *selection.given;
  LinkFilterOptions options;
  options.include = from_option(selection.include, "--include");
  options.exclude = from_option(selection.exclude, "--exclude");
  options.remap = selection.remap;
  options.schemes = selection.schemes;
  options.exclude.insert(options.exclude.end(), selection.ignored.begin(), selection.ignored.end());
  return options;
}

LinkFilter make_link_filter(const Selection& selection) {
  Result<LinkFilter> filter = LinkFilter::make(filter_options(selection));
  if (filter.has_error()) throw CLI::ConfigError(filter.error().message);
  return std::move(filter).value();
}

OptionTarget read_site_urls(std::vector<SiteMapping>& sites) {
  const auto set = [&sites](const Words& texts) {
    sites.clear();
    for (const std::string& text : texts) {
      Result<SiteMapping> site = read_site_mapping(text);
      if (site.has_error()) return site.error().message;
      sites.push_back(std::move(site).value());
    }
    return std::string();
  };
  OptionTarget target = read_values(set, "URL[=FOLDER]");
  target.values = [&sites] {
    Words values;
    for (const SiteMapping& site : sites) values.push_back(std::string(site.url.href()) + "=" + site.folder);
    return values;
  };
  return target;
}

// Accepts no value, lychee's values, and true or false as in lychee's configuration.
OptionTarget read_include_fragments(Selection& selection) {
  const auto set = [&selection](const std::string& text) {
    static constexpr std::array<std::string_view, 4> of_lychee{"true", "anchor-only", "text-only", "full"};
    const bool is_web = std::ranges::find(of_lychee, text) != of_lychee.end();
    const std::string word = is_web ? "web" : text == "false" ? "none" : text;
    const std::optional<Fragments> found = enum_value(fragment_names, word);
    if (!found) return is_none_of(text, names_of(fragment_names));
    selection.local.anchors = *found != Fragments::none;
    selection.web_anchors = *found == Fragments::web;
    return std::string();
  };
  return {
      [set](CLI::App& app, const std::string& names) { return app.add_flag(names)->check(set)->default_str("file"); },
      [&selection] {
        return Words{selection.web_anchors ? "web" : selection.local.anchors ? "file" : "none"};
      }};
}

std::string refuse_unknown_scheme(const std::string& text) {
  static constexpr std::array<std::string_view, 4> evaluated = {"http", "https", "file", "mailto"};
  const std::string scheme = parser::to_ascii_lower(text.substr(0, text.find(':')));
  if (std::ranges::find(evaluated, scheme) != evaluated.end()) return {};
  return fmt::format("linkherd does not check links with the scheme {}; it checks {}", text, join(evaluated, ", "));
}

}  // namespace linkherd::crawler
