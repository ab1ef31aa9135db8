// Fuzzes the PDF reader. qpdf is not instrumented; the code that uses its results is.
#include <cstddef>
#include <cstdint>
#include <string>

#include "parser/metadata/pdf.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  must_be_sound(read_pdf({reinterpret_cast<const char*>(data), size}, fuzzing_now).metadata);
  return 0;
}
