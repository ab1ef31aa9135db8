// The catalogue of a run: what the lists list and what its pages say of themselves, as a file for other programs and
// for version control. The main links of entries to the web, each URL once, in the order of the lists; badges and
// mentions are left out. In a file without entries each text link is one.
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

// What a place of a link is to the catalogue: what an entry lists, a text link in prose, which is listed where its file
// has no entries, or neither.
enum class CatalogueRole : std::uint8_t { none, entry, prose };
CatalogueRole catalogue_role(const parser::LinkOccurrence& occurrence);

// Well-formed UTF-8, written entry by entry. An entry's key is made of its URL alone, and nothing is written
// that changes with each run: the file is changed by what has changed.
//   csv       RFC 4180 with a header; cells that a spreadsheet would take for formulas begin with an apostrophe
//   json      {"schema", "entries": [...]}, an entry a line
//   csl-json  items of type "webpage" of the Citation Style Language, for reference managers
//   bibtex    @misc records
//   markdown  a list under the headings of the lists
void write_catalogue(std::ostream& out, const storage::CheckedLinks& links, CatalogueFormat format);

}  // namespace linkherd::reports
