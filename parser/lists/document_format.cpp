#include "parser/lists/document_format.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

struct Ending {
  std::string_view name;
  DocumentFormat format;
};

constexpr std::array<Ending, 23> prose_endings{{{"md", DocumentFormat::markdown},
                                                {"markdown", DocumentFormat::markdown},
                                                {"mdown", DocumentFormat::markdown},
                                                {"mkd", DocumentFormat::markdown},
                                                {"mkdn", DocumentFormat::markdown},
                                                {"mdx", DocumentFormat::mdx},
                                                {"mdwn", DocumentFormat::markdown},
                                                {"mkdown", DocumentFormat::markdown},
                                                {"qmd", DocumentFormat::markdown},
                                                {"rmd", DocumentFormat::markdown},
                                                {"css", DocumentFormat::css},
                                                {"html", DocumentFormat::html},
                                                {"htm", DocumentFormat::html},
                                                {"xhtml", DocumentFormat::html},
                                                {"txt", DocumentFormat::plain_text},
                                                {"text", DocumentFormat::plain_text},
                                                {"rst", DocumentFormat::restructured_text},
                                                {"rest", DocumentFormat::restructured_text},
                                                {"adoc", DocumentFormat::asciidoc},
                                                {"asciidoc", DocumentFormat::asciidoc},
                                                {"asc", DocumentFormat::asciidoc},
                                                {"org", DocumentFormat::org},
                                                {"ipynb", DocumentFormat::notebook}}};

constexpr std::array<Ending, 50> data_endings{
    {{"csv", DocumentFormat::csv},           {"tsv", DocumentFormat::csv},     {"tab", DocumentFormat::csv},
     {"json", DocumentFormat::json},         {"json5", DocumentFormat::json},  {"jsonc", DocumentFormat::json},
     {"geojson", DocumentFormat::json},      {"jsonld", DocumentFormat::json}, {"jsonl", DocumentFormat::json_lines},
     {"ndjson", DocumentFormat::json_lines}, {"yaml", DocumentFormat::yaml},   {"yml", DocumentFormat::yaml},
     {"cff", DocumentFormat::yaml},          {"toml", DocumentFormat::toml},   {"bib", DocumentFormat::bibtex},
     {"bibtex", DocumentFormat::bibtex},     {"ris", DocumentFormat::ris},     {"xml", DocumentFormat::xml},
     {"opml", DocumentFormat::xml},          {"rss", DocumentFormat::xml},     {"atom", DocumentFormat::xml},
     {"rdf", DocumentFormat::xml},           {"svg", DocumentFormat::xml},     {"csproj", DocumentFormat::xml},
     {"fsproj", DocumentFormat::xml},        {"vbproj", DocumentFormat::xml},  {"vcxproj", DocumentFormat::xml},
     {"props", DocumentFormat::xml},         {"targets", DocumentFormat::xml}, {"nuspec", DocumentFormat::xml},
     {"resx", DocumentFormat::xml},          {"xaml", DocumentFormat::xml},    {"axaml", DocumentFormat::xml},
     {"plist", DocumentFormat::xml},         {"pom", DocumentFormat::xml},     {"xsd", DocumentFormat::xml},
     {"xsl", DocumentFormat::xml},           {"xslt", DocumentFormat::xml},    {"wsdl", DocumentFormat::xml},
     {"kml", DocumentFormat::xml},           {"gpx", DocumentFormat::xml},     {"xlf", DocumentFormat::xml},
     {"xliff", DocumentFormat::xml},         {"dita", DocumentFormat::xml},    {"ditamap", DocumentFormat::xml},
     {"docbook", DocumentFormat::xml},       {"dbk", DocumentFormat::xml},     {"fb2", DocumentFormat::xml},
     {"ncx", DocumentFormat::xml},           {"opf", DocumentFormat::xml}}};

constexpr std::size_t max_looked_at = 65536;

template <std::size_t N>
std::optional<DocumentFormat> format_in(const std::array<Ending, N>& endings, std::string_view file_name) {
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
std::optional<DocumentFormat> json_format(std::string_view text) {
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
    return DocumentFormat::notebook;
  }
  // JSON lines have one value per line.
  const std::size_t end = find_line_break(start, 0);
  const std::string_view next = trim_ascii(start.substr(end));
  const bool lines = start.front() == '{' && trim_ascii(start.substr(0, end)).ends_with('}') && next.starts_with('{');
  return lines ? DocumentFormat::json_lines : DocumentFormat::json;
}

std::optional<DocumentFormat> markup_format(std::string_view text) {
  const std::string_view start = skip_to_markup(text);
  if (is_bookmarks(text)) return DocumentFormat::bookmarks;
  if (starts_with_any(start, {"<!doctype html", "<html", "<head", "<body"})) return DocumentFormat::html;
  if (starts_with_any(start, {"<rss", "<feed", "<opml", "<urlset", "<sitemapindex", "<rdf:rdf", "<!doctype opml",
                              "<svg", "<!doctype svg", "<!doctype plist", "<plist", "<project "}) ||
      starts_ignoring_case(trim_ascii(text), "<?xml")) {
    return DocumentFormat::xml;
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

bool is_sitemap_index(std::string_view text) {
  constexpr std::size_t head = 4096;
  return text.substr(0, head).find("<sitemapindex") != std::string_view::npos;
}

std::optional<DocumentFormat> prose_format_for_extension(std::string_view file_name) {
  // "llms.txt", "llms-full.txt" and similar files are Markdown (llmstxt.org).
  const std::string_view name = file_name.substr(file_name.find_last_of("/\\") + 1);
  const bool is_for_models = equals_ignoring_case(name, "llms.txt") || starts_ignoring_case(name, "llms-");
  if (is_for_models && name.ends_with(".txt")) return DocumentFormat::markdown;
  return format_in(prose_endings, file_name);
}

DocumentFormat detect_document_format(std::string_view file_name, std::string_view text) {
  if (const std::optional<DocumentFormat> prose = prose_format_for_extension(file_name)) {
    return *prose == DocumentFormat::html && is_bookmarks(text) ? DocumentFormat::bookmarks : *prose;
  }
  if (const std::optional<DocumentFormat> data = format_in(data_endings, file_name)) return *data;
  if (const std::optional<DocumentFormat> markup = markup_format(text)) return *markup;
  if (const std::optional<DocumentFormat> json = json_format(text)) return *json;
  if (trim_ascii(text.substr(0, max_looked_at)).starts_with("TY  - ")) return DocumentFormat::ris;
  return is_bibtex(text) ? DocumentFormat::bibtex : DocumentFormat::plain_text;
}

}  // namespace linkherd::parser
