#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  linkherd::parser::fuzz_list(data, size, linkherd::parser::DocumentFormat::markdown);
  return 0;
}
