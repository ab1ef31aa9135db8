// Fuzzes charset detection with any bytes and any label. The text must be well-formed, and the detected encoding must
// be a known one.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "parser/html/charset.h"
#include "parser/html/encodings.h"
#include "tests/fuzz/metadata_fuzzing.h"

using namespace linkherd;
using namespace linkherd::parser;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array labels{"",         "utf-8",    "gbk",          "gb18030",      "big5",     "shift_jis",
                                     "euc-jp",   "euc-kr",   "windows-1252", "windows-1251", "koi8-r",   "iso-2022-jp",
                                     "utf-16le", "utf-16be", "iso-8859-8-i", "x-mac",        "nonsense", "replacement"};
  if (size == 0) return 0;
  const std::string bytes(data + 1, data + size);
  const char* label = labels[data[0] % labels.size()];
  for (const DecodedText& decoded : {decode_html(bytes, label), decode_text(bytes, label)}) {
    must(is_valid_utf8(decoded.text));
    must(find_encoding(decoded.charset) != nullptr || decoded.charset.starts_with("utf-32"));  // unknown to browsers
    must(decoded.errors <= bytes.size());
    must(decoded.text.size() <= bytes.size() * 4 + 4);
  }
  is_binary(bytes);
  return 0;
}
