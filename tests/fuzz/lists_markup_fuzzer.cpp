// Fuzzes the readers of reStructuredText, AsciiDoc and Org.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array formats{DocumentFormat::restructured_text, DocumentFormat::asciidoc, DocumentFormat::org};
  linkherd::parser::fuzz_list(data, size, formats);
  return 0;
}
