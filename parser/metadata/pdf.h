// Extracts title, authors, dates and the number of pages from a PDF: from its document information and its XMP packet.
// If they have no title, it is the headline of the first page (pdf_headline.h). Never throws because of the content.
// The size of the file bounds the parsing time, but not the size of its decompressed parts. Use a process with resource
// limits for untrusted files.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::parser {

struct PdfInfo {
  Metadata metadata;
  std::size_t pages = 0;  // as stated by the file; 0 if unknown
};

bool is_pdf(std::string_view bytes);

// `on_facts`, if not empty, is called before the search for a headline, with everything else. A hostile page can make
// that search use up the resources of the process.
PdfInfo read_pdf(std::string_view bytes, Timestamp now, const std::function<void(const PdfInfo& facts)>& on_facts = {});

}  // namespace linkherd::parser
