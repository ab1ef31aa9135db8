// Fuzzes the readers of HTML, XML and bookmark files.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array formats{DocumentFormat::html, DocumentFormat::xml, DocumentFormat::bookmarks};
  linkherd::parser::fuzz_list(data, size, formats);
  return 0;
}
