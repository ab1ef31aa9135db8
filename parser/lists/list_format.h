// Defines the supported formats of input documents and detects the format of a file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/enum_names.h"

namespace linkherd::parser {

// The names are the values of `--input-format`.
enum class ListFormat : std::uint8_t {
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
inline constexpr std::array<EnumName<ListFormat>, 18> list_format_names{{{ListFormat::markdown, "markdown"},
                                                                         {ListFormat::html, "html"},
                                                                         {ListFormat::plain_text, "text"},
                                                                         {ListFormat::restructured_text, "rst"},
                                                                         {ListFormat::asciidoc, "asciidoc"},
                                                                         {ListFormat::org, "org"},
                                                                         {ListFormat::notebook, "notebook"},
                                                                         {ListFormat::csv, "csv"},
                                                                         {ListFormat::json, "json"},
                                                                         {ListFormat::json_lines, "jsonl"},
                                                                         {ListFormat::yaml, "yaml"},
                                                                         {ListFormat::toml, "toml"},
                                                                         {ListFormat::bibtex, "bibtex"},
                                                                         {ListFormat::xml, "xml"},
                                                                         {ListFormat::bookmarks, "bookmarks"},
                                                                         {ListFormat::css, "css"},
                                                                         {ListFormat::ris, "ris"},
                                                                         {ListFormat::mdx, "mdx"}}};

// Returns true for Markdown in any of its forms.
constexpr bool is_markdown(ListFormat format) { return format == ListFormat::markdown || format == ListFormat::mdx; }

// Detects the format from the file extension, then from the content. Returns plain_text if neither decides. The content
// of ".html" files is checked too, because browsers use this extension for bookmark files.
ListFormat detect_list_format(std::string_view file_name, std::string_view text);

// Returns the prose format for a file extension such as ".md". Prose formats are Markdown, MDX, HTML, CSS, text,
// reStructuredText, AsciiDoc, Org and notebooks; only such files are read from folders. Returns nullopt for other
// extensions, because data files are read only if the user names them.
std::optional<ListFormat> list_format_for_extension(std::string_view file_name);

}  // namespace linkherd::parser
