// Reads an untrusted PDF in a separate process, so that excessive memory, CPU time or a crash of the PDF library
// affects only that process.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "crawler/cli/command.h"
#include "parser/metadata/pdf.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

// Runs this program as the process below, limited to two seconds of CPU time and 96 MiB. Returns empty facts if that
// fails. The process has ended when this function returns. Thread-safe. Throws std::system_error if the process cannot
// be started.
parser::PdfInfo read_pdf_in_subprocess(std::string_view bytes, Timestamp now);

// Does the same with another program and time limit, for tests.
parser::PdfInfo read_pdf_with(const std::string& program, std::chrono::milliseconds timeout, std::string_view bytes,
                              Timestamp now);

// Returns true if this process was started by read_pdf_in_subprocess(). Not a command for users.
bool is_pdf_process(int argc, const char* const* argv);

// Reads a PDF from stdin and writes one JSON object to stdout. Never throws.
int run_pdf_process(const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
