#include "crawler/cli/options/report_options.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "parser/ascii.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// Returns the format whose file ending is the longest that the path has.
std::optional<reports::ReportFormat> format_of_ending(const std::string& path) {
  const std::string name = parser::to_ascii_lower(fs::path(path).filename().string());
  std::optional<reports::ReportFormat> format;
  std::size_t length = 0;
  for (const reports::FormatDescription& known : reports::report_formats) {
    for (const std::string_view ending : known.endings) {
      if (ending.size() <= length || ending.size() >= name.size() || !name.ends_with(ending)) continue;
      format = known.format;
      length = ending.size();
    }
  }
  return format;
}

// Rejects "html" or ".html" as the name of an output file.
void refuse_format_as_file(const std::string& text) {
  const std::string word = text.substr(text.starts_with('.') ? 1 : 0);
  std::optional<reports::ReportFormat> format = enum_value(reports::report_format_names, word);
  const bool is_ending = text.starts_with('.') && text.find_first_of("./", 1) == std::string::npos;
  if (!format && is_ending) format = format_of_ending("report" + text);
  if (!format || word.empty()) return;
  const std::string_view name = enum_name(reports::report_format_names, *format);
  throw CLI::ValidationError("--output", fmt::format("{} is a format, not a file: --format {} writes to stdout, -o "
                                                     "{}:FILE to a file; for a file with that name, write ./{}",
                                                     text, name, name, text));
}

// Parses "sarif:links.sarif", "text:-", or a file name.
ReportOutput read_output(const std::string& text) {
  const auto to = [](std::optional<reports::ReportFormat> format, const std::string& path) {
    if (path.empty()) throw CLI::ValidationError("--output", "a file is missing: FORMAT:FILE, or FORMAT:- for stdout");
    return ReportOutput{format, path == "-" ? std::string() : path};
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    refuse_format_as_file(text);
    return to(std::nullopt, text);
  }
  const std::string word = text.substr(0, colon);
  if (const auto format = enum_value(reports::report_format_names, word)) return to(format, text.substr(colon + 1));
  const auto is_of_names = [](char c) { return parser::is_ascii_letter(c) || c == '-'; };
  if (word.empty() || !std::ranges::all_of(word, is_of_names)) return to(std::nullopt, text);
  throw CLI::ValidationError("--output", fmt::format("{}; for a file with that name, write ./{}",
                                                     is_none_of(word, names_of(reports::report_format_names)), text));
}

}  // namespace

reports::ReportFormat format_of(const ReportOutput& output, const ReportOptions& options) {
  if (output.format) return *output.format;
  // --format applies to all outputs. The configuration's format applies unless --output is given.
  if (options.has_format_option || (options.names_format && !options.has_output_option)) return options.format;
  return format_of_ending(output.path).value_or(options.format);
}

OptionTarget read_outputs(std::vector<ReportOutput>& outputs) {
  const auto set = [&outputs](const Words& texts) -> std::string {
    outputs.clear();
    std::set<std::string> paths;
    for (const std::string& text : texts) {
      outputs.push_back(read_output(text));
      const std::string& path = outputs.back().path;
      std::error_code error;  // a path that cannot be resolved is rejected when it is opened
      if (!paths.insert(path.empty() ? path : fs::weakly_canonical(fs::absolute(path), error).string()).second)
        return (path.empty() ? "stdout" : path) + " is given twice";
    }
    return {};
  };
  return read_values(set, "[FORMAT:]FILE");
}

OptionTarget read_sections(std::vector<reports::Section>& sections) {
  Words known = names_of(reports::section_names);
  known.insert(known.begin(), "broken");
  const auto set = [&sections](const Words& words) {
    sections.clear();
    for (const std::string& word : words) {
      if (const auto section = enum_value(reports::section_names, word)) {
        sections.push_back(*section);
      } else {
        sections.insert(sections.end(), {reports::Section::dead, reports::Section::insecure});
      }
    }
    return std::string();
  };
  return read_known_names(std::move(known), set, "NAME,...");
}

OptionTarget read_fail_on(reports::OutcomePolicy& policy) {
  Words known = names_of(storage::health_names);
  known.emplace_back("none");
  const auto set = [&policy](const Words& words) -> std::string {
    policy.fail_on.clear();
    for (const std::string& word : words) {
      if (const auto health = enum_value(storage::health_names, word)) {
        policy.fail_on.push_back(*health);
      } else if (words.size() > 1) {
        return "none cannot be combined with other values";
      }
    }
    return {};
  };
  return read_known_names(std::move(known), set, "HEALTH,...", "dead,insecure");
}

}  // namespace linkherd::crawler
