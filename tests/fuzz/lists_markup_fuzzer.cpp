// Fuzzes reStructuredText, AsciiDoc and Org. The first byte selects the format.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array<DocumentFormat, 3> formats{DocumentFormat::restructured_text, DocumentFormat::asciidoc,
                                                  DocumentFormat::org};
  if (size > 0) linkherd::parser::fuzz_list(data, size, formats.at((data[0] >> 3U) % formats.size()));
  return 0;
}
