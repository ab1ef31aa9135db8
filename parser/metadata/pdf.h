// Title, authors and dates of a PDF out of its document information and its XMP packet. Never throws for what is in the
// file. Its size bounds the time of parsing, but not what its compressed parts unfold to: callers with foreign files
// run this in a process with limits of its own.
#pragma once

#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::parser {

bool is_pdf(std::string_view bytes);
Metadata pdf_metadata(std::string_view bytes, Timestamp now);

}  // namespace linkherd::parser
