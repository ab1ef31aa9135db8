// Extracts the metadata of plain text, Markdown and Jupyter notebooks. The first heading is the title. Front matter or
// the metadata of a notebook may have further fields.
#pragma once

#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::parser {

Metadata extract_text_metadata(std::string_view utf8, Timestamp now);

bool is_notebook(std::string_view bytes);  // JSON with cells and nbformat
Metadata extract_notebook_metadata(std::string_view json, Timestamp now);

}  // namespace linkherd::parser
