// Reads an untrusted PDF in a separate process, so that excessive memory, CPU time or a crash of the
// PDF library affects only that process.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "crawler/cli/command.h"
#include "parser/metadata/pdf.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Runs this program as the process below, limited to two seconds of CPU time and 96 MiB; returns empty facts if
// that fails. Thread-safe. The process has ended when this returns. Throws std::system_error if the process cannot be
// started.
parser::PdfFacts read_pdf_apart(std::string_view bytes, Timestamp now);

// Likewise with another program and a time limit: for tests.
parser::PdfFacts read_pdf_apart_by(const std::string& program, std::chrono::milliseconds timeout,
                                   std::string_view bytes, Timestamp now);

// Returns true if this process was started by read_pdf_apart(). Not a user command.
bool is_pdf_process(int argc, const char* const* argv);

// Reads a PDF from stdin and writes one JSON object to stdout. Never throws.
int run_pdf_process(const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
