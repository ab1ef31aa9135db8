// Writes the catalogue of a run: the entries of the lists with the metadata of their pages, for other programs and for
// version control. It has the main web links of entries, each URL once, in list order. Badges and mentions are left
// out. In a file without entries, each text link counts as an entry.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>

#include "parser/enum_names.h"
#include "parser/lists/link_occurrence.h"
#include "storage/checked_links.h"

namespace linkherd::reports {

enum class CatalogueFormat : std::uint8_t { csv, json, csl_json, bibtex, markdown };
inline constexpr std::array<EnumName<CatalogueFormat>, 5> catalogue_format_names{
    {{CatalogueFormat::csv, "csv"},
     {CatalogueFormat::json, "json"},
     {CatalogueFormat::csl_json, "csl-json"},
     {CatalogueFormat::bibtex, "bibtex"},
     {CatalogueFormat::markdown, "markdown"}}};

// The role of an occurrence in the catalogue: the main link of an entry, a text link in prose, or neither. Prose links
// are listed only if their file has no entries.
enum class CatalogueRole : std::uint8_t { none, entry, prose };
CatalogueRole catalogue_role(const parser::LinkOccurrence& occurrence);

// Writes well-formed UTF-8, entry by entry. The key of an entry depends only on its URL, and nothing that changes with
// each run is written. A difference between two files is therefore a difference between the entries.
//
//   csv       RFC 4180 with a header; cells that a spreadsheet would take for formulas begin with an apostrophe
//   json      {"schema", "entries": [...]}, one entry per line
//   csl-json  items of type "webpage" of the Citation Style Language, for reference managers
//   bibtex    @misc records
//   markdown  a list under the headings of the lists
void write_catalogue(std::ostream& out, const storage::CheckedLinks& links, CatalogueFormat format);

}  // namespace linkherd::reports
