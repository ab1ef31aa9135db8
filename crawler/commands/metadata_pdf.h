// The metadata of a PDF from anywhere, read in a child process: what a hostile file unfolds to, or breaks in the
// library that reads it, ends that process and nothing else.
#pragma once

#include <string_view>

#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Only for a process without other threads: a fork would copy the locks that they hold. Within two seconds of CPU and
// 96 MiB beyond what this process holds; else there is no metadata.
parser::Metadata read_pdf_metadata(std::string_view bytes, Timestamp now);

}  // namespace linkherd::crawler
