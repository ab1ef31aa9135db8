// Fuzzes the readers of plain text, CSV, BibTeX, RIS and CSS.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/lists_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linkherd::parser::DocumentFormat;
  constexpr std::array formats{DocumentFormat::plain_text, DocumentFormat::csv, DocumentFormat::bibtex,
                               DocumentFormat::ris, DocumentFormat::css};
  linkherd::parser::fuzz_list(data, size, formats);
  return 0;
}
