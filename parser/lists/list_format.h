// The supported list formats and their detection.
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
  csv,         // separated by commas, semicolons, bars or tabs; the first line decides
  json,        // comments are allowed
  json_lines,  // one JSON value per line
  yaml,
  toml,
  bibtex,
  xml,        // OPML, RSS, Atom, sitemaps and any other XML
  bookmarks,  // Netscape bookmark files, which every browser exports
  css,        // stylesheets
  ris,        // references, as publishers and Zotero export them
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

// Detects the format by the file's extension, then by its content; plain text if neither decides. The content of
// ".html" files is checked too, because browsers give bookmark files that name.
ListFormat detect_list_format(std::string_view file_name, std::string_view text);

// Returns the prose format (Markdown, MDX, HTML, CSS, text, reStructuredText, AsciiDoc, Org, notebook) of an extension
// such as
// ".md". These are the files read from folders. Returns nullopt for other extensions: data files are read only if the
// user names them.
std::optional<ListFormat> list_format_of_extension(std::string_view file_name);

}  // namespace linkherd::parser
