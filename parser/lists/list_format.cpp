#include "parser/lists/list_format.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

struct Ending {
  std::string_view name;
  ListFormat format;
};

constexpr std::array<Ending, 23> prose_endings{{{"md", ListFormat::markdown},
                                                {"markdown", ListFormat::markdown},
                                                {"mdown", ListFormat::markdown},
                                                {"mkd", ListFormat::markdown},
                                                {"mkdn", ListFormat::markdown},
                                                {"mdx", ListFormat::mdx},
                                                {"mdwn", ListFormat::markdown},
                                                {"mkdown", ListFormat::markdown},
                                                {"qmd", ListFormat::markdown},
                                                {"rmd", ListFormat::markdown},
                                                {"css", ListFormat::css},
                                                {"html", ListFormat::html},
                                                {"htm", ListFormat::html},
                                                {"xhtml", ListFormat::html},
                                                {"txt", ListFormat::plain_text},
                                                {"text", ListFormat::plain_text},
                                                {"rst", ListFormat::restructured_text},
                                                {"rest", ListFormat::restructured_text},
                                                {"adoc", ListFormat::asciidoc},
                                                {"asciidoc", ListFormat::asciidoc},
                                                {"asc", ListFormat::asciidoc},
                                                {"org", ListFormat::org},
                                                {"ipynb", ListFormat::notebook}}};

constexpr std::array<Ending, 50> data_endings{
    {{"csv", ListFormat::csv},           {"tsv", ListFormat::csv},     {"tab", ListFormat::csv},
     {"json", ListFormat::json},         {"json5", ListFormat::json},  {"jsonc", ListFormat::json},
     {"geojson", ListFormat::json},      {"jsonld", ListFormat::json}, {"jsonl", ListFormat::json_lines},
     {"ndjson", ListFormat::json_lines}, {"yaml", ListFormat::yaml},   {"yml", ListFormat::yaml},
     {"cff", ListFormat::yaml},          {"toml", ListFormat::toml},   {"bib", ListFormat::bibtex},
     {"bibtex", ListFormat::bibtex},     {"ris", ListFormat::ris},     {"xml", ListFormat::xml},
     {"opml", ListFormat::xml},          {"rss", ListFormat::xml},     {"atom", ListFormat::xml},
     {"rdf", ListFormat::xml},           {"svg", ListFormat::xml},     {"csproj", ListFormat::xml},
     {"fsproj", ListFormat::xml},        {"vbproj", ListFormat::xml},  {"vcxproj", ListFormat::xml},
     {"props", ListFormat::xml},         {"targets", ListFormat::xml}, {"nuspec", ListFormat::xml},
     {"resx", ListFormat::xml},          {"xaml", ListFormat::xml},    {"axaml", ListFormat::xml},
     {"plist", ListFormat::xml},         {"pom", ListFormat::xml},     {"xsd", ListFormat::xml},
     {"xsl", ListFormat::xml},           {"xslt", ListFormat::xml},    {"wsdl", ListFormat::xml},
     {"kml", ListFormat::xml},           {"gpx", ListFormat::xml},     {"xlf", ListFormat::xml},
     {"xliff", ListFormat::xml},         {"dita", ListFormat::xml},    {"ditamap", ListFormat::xml},
     {"docbook", ListFormat::xml},       {"dbk", ListFormat::xml},     {"fb2", ListFormat::xml},
     {"ncx", ListFormat::xml},           {"opf", ListFormat::xml}}};

constexpr std::size_t max_looked_at = 65536;

template <std::size_t N>
std::optional<ListFormat> format_in(const std::array<Ending, N>& endings, std::string_view file_name) {
  std::string_view name = file_name.substr(file_name.rfind('/') + 1);
  if (name.size() > 3 && equals_ignoring_case(name.substr(name.size() - 3), ".gz")) name.remove_suffix(3);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto* found = std::ranges::find_if(
      endings, [&](const Ending& ending) { return equals_ignoring_case(name.substr(dot + 1), ending.name); });
  if (found == endings.end()) return std::nullopt;
  return found->format;
}

// Skips white space, comments and the XML declaration, which may precede the doctype.
std::string_view skip_to_markup(std::string_view text) {
  text = trim_ascii(text.substr(0, max_looked_at));
  while (text.starts_with("<!--") || text.starts_with("<?")) {
    const std::string_view closing = text.starts_with("<?") ? "?>" : "-->";
    const std::size_t end = text.find(closing);
    if (end == std::string_view::npos) return {};
    text = trim_ascii(text.substr(end + closing.size()));
  }
  return text;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return starts_ignoring_case(text, start); });
}

bool is_bookmarks(std::string_view text) {
  return starts_ignoring_case(skip_to_markup(text), "<!doctype netscape-bookmark-file-1");
}

// Detects JSON: "{ … }" that is empty or has a quoted key, or "[ … ]" with a value that does not occur in Markdown.
std::optional<ListFormat> json_format(std::string_view text) {
  const std::string_view start = trim_ascii(text.substr(0, max_looked_at));
  if (start.empty() || (start.front() != '{' && start.front() != '[')) return std::nullopt;
  const std::string_view inside = trim_ascii(start.substr(1));
  if (start.front() == '{' && !inside.empty() && inside.front() != '"' && inside.front() != '}') return std::nullopt;
  if (start.front() == '[' &&
      (inside.empty() || std::string_view("{[\"]").find(inside.front()) == std::string_view::npos)) {
    return std::nullopt;
  }
  // "[[a]]" and "[](x)" may also be Markdown.
  if (start.front() == '[' && inside.front() != '{' && inside.front() != '"') return std::nullopt;
  if (start.find("\"cells\"") != std::string_view::npos && text.find("\"nbformat\"") != std::string_view::npos) {
    return ListFormat::notebook;
  }
  // JSON lines have one value per line.
  const std::size_t end = line_break(start, 0);
  const std::string_view next = trim_ascii(start.substr(end));
  const bool lines = start.front() == '{' && trim_ascii(start.substr(0, end)).ends_with('}') && next.starts_with('{');
  return lines ? ListFormat::json_lines : ListFormat::json;
}

std::optional<ListFormat> markup_format(std::string_view text) {
  const std::string_view start = skip_to_markup(text);
  if (is_bookmarks(text)) return ListFormat::bookmarks;
  if (starts_with_any(start, {"<!doctype html", "<html", "<head", "<body"})) return ListFormat::html;
  if (starts_with_any(start, {"<rss", "<feed", "<opml", "<urlset", "<sitemapindex", "<rdf:rdf", "<!doctype opml",
                              "<svg", "<!doctype svg", "<!doctype plist", "<plist", "<project "}) ||
      starts_ignoring_case(trim_ascii(text), "<?xml")) {
    return ListFormat::xml;
  }
  return std::nullopt;
}

// Returns true if the text starts with a BibTeX entry such as "@article{key,".
bool is_bibtex(std::string_view text) {
  return starts_with_any(trim_ascii(text.substr(0, max_looked_at)),
                         {"@article{", "@book{", "@inproceedings{", "@misc{", "@online{", "@string{", "@techreport{",
                          "@phdthesis{", "@mastersthesis{", "@incollection{", "@software{", "@comment{", "@preamble{"});
}

}  // namespace

std::optional<ListFormat> list_format_for_extension(std::string_view file_name) {
  // "llms.txt", "llms-full.txt" and similar files are Markdown (llmstxt.org).
  const std::string_view name = file_name.substr(file_name.find_last_of("/\\") + 1);
  const bool is_for_models = equals_ignoring_case(name, "llms.txt") || starts_ignoring_case(name, "llms-");
  if (is_for_models && name.ends_with(".txt")) return ListFormat::markdown;
  return format_in(prose_endings, file_name);
}

ListFormat detect_list_format(std::string_view file_name, std::string_view text) {
  if (const std::optional<ListFormat> prose = list_format_for_extension(file_name)) {
    return *prose == ListFormat::html && is_bookmarks(text) ? ListFormat::bookmarks : *prose;
  }
  if (const std::optional<ListFormat> data = format_in(data_endings, file_name)) return *data;
  if (const std::optional<ListFormat> markup = markup_format(text)) return *markup;
  if (const std::optional<ListFormat> json = json_format(text)) return *json;
  if (trim_ascii(text.substr(0, max_looked_at)).starts_with("TY  - ")) return ListFormat::ris;
  return is_bibtex(text) ? ListFormat::bibtex : ListFormat::plain_text;
}

}  // namespace linkherd::parser
