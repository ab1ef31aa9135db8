// The metadata of a PDF from anywhere, read by a process of its own: what a hostile file unfolds to, or breaks in the
// library that reads it, ends that process and nothing else.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "crawler/commands/command.h"
#include "parser/metadata/metadata.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// From any thread of this program: starts it once more, as the process below. Within two seconds of CPU and 96 MiB;
// else there is no metadata. The process has ended when this returns. Throws std::system_error where the process cannot
// be started.
parser::Metadata read_pdf_metadata(std::string_view bytes, Timestamp now);

// The same by another program, which is waited for no longer than so: for tests.
parser::Metadata read_pdf_metadata_by(const std::string& program, std::chrono::milliseconds patience,
                                      std::string_view bytes, Timestamp now);

// Whether this process was started so. It is no command for people.
bool is_pdf_process(int argc, const char* const* argv);

// What it does then: a PDF on stdin, one JSON object on stdout. Never throws.
int run_pdf_process(const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
