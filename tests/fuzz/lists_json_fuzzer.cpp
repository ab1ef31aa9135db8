// Fuzzes the readers of JSON, JSON lines, notebooks, YAML and TOML.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array formats{DocumentFormat::json, DocumentFormat::json_lines, DocumentFormat::notebook,
                               DocumentFormat::yaml, DocumentFormat::toml};
  linkherd::parser::fuzz_list(data, size, formats);
  return 0;
}
