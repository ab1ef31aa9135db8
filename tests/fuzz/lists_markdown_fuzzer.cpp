// Fuzzes the readers of Markdown in the dialects of all generators.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array formats{DocumentFormat::markdown};
  linkherd::parser::fuzz_list(data, size, formats);
  return 0;
}
