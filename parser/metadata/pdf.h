// Extracts title, authors and dates from the document information and the XMP packet of a PDF, and how many pages it
// says it has. Never throws because of the content. The size of the file bounds the parsing time, but not the size of
// its decompressed parts: run it in a process with resource limits for untrusted files.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::parser {

struct PdfFacts {
  Metadata metadata;
  std::size_t pages = 0;  // 0: unknown
};

bool is_pdf(std::string_view bytes);
PdfFacts read_pdf(std::string_view bytes, Timestamp now);

}  // namespace linkherd::parser
