// Defines the supported formats of input documents and detects the format of a file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/enum_names.h"

namespace linkherd::parser {

// The names are the values of `--input-format`.
enum class DocumentFormat : std::uint8_t {
  markdown,
  html,
  plain_text,
  restructured_text,
  asciidoc,
  org,
  notebook,    // Jupyter
  csv,         // separated by commas, semicolons, bars or tabs, as determined by the first line
  json,        // comments are allowed
  json_lines,  // one JSON value per line
  yaml,
  toml,
  bibtex,
  xml,        // OPML, RSS, Atom, sitemaps and any other XML
  bookmarks,  // Netscape bookmark files, which every browser exports
  css,        // stylesheets
  ris,        // bibliographic references, as exported by publishers and Zotero
  mdx,        // Markdown with JSX
};
inline constexpr std::array<EnumName<DocumentFormat>, 18> document_format_names{
    {{DocumentFormat::markdown, "markdown"},
     {DocumentFormat::html, "html"},
     {DocumentFormat::plain_text, "text"},
     {DocumentFormat::restructured_text, "rst"},
     {DocumentFormat::asciidoc, "asciidoc"},
     {DocumentFormat::org, "org"},
     {DocumentFormat::notebook, "notebook"},
     {DocumentFormat::csv, "csv"},
     {DocumentFormat::json, "json"},
     {DocumentFormat::json_lines, "jsonl"},
     {DocumentFormat::yaml, "yaml"},
     {DocumentFormat::toml, "toml"},
     {DocumentFormat::bibtex, "bibtex"},
     {DocumentFormat::xml, "xml"},
     {DocumentFormat::bookmarks, "bookmarks"},
     {DocumentFormat::css, "css"},
     {DocumentFormat::ris, "ris"},
     {DocumentFormat::mdx, "mdx"}}};

// Returns true for Markdown in any of its forms.
constexpr bool is_markdown(DocumentFormat format) {
  return format == DocumentFormat::markdown || format == DocumentFormat::mdx;
}

// Detects the format from the file extension, then from the content. Returns plain_text if neither decides. The content
// of ".html" files is checked too, because browsers use this extension for bookmark files.
DocumentFormat detect_document_format(std::string_view file_name, std::string_view text);

// Returns true if an XML document is a sitemap index, which lists other sitemaps.
bool is_sitemap_index(std::string_view text);

// Returns the prose format for a file extension such as ".md". Prose formats are Markdown, MDX, HTML, CSS, text,
// reStructuredText, AsciiDoc, Org and notebooks; only such files are read from folders. Returns nullopt for other
// extensions, because data files are read only if the user names them.
std::optional<DocumentFormat> prose_format_for_extension(std::string_view file_name);

}  // namespace linkherd::parser
