// Fuzzes the WARC reader. It must terminate, read every byte of a block at most once, and find each record again at its
// offset.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "storage/warc/warc_reader.h"

using linkherd::storage::WarcReader;
using linkherd::storage::WarcRecord;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  std::istringstream in(file);
  WarcReader reader(in);
  std::size_t records = 0;
  while (const std::optional<WarcRecord> record = reader.next()) {
    if (++records > size) std::abort();
    if (reader.read_block(1000).size() > record->length) std::abort();
    std::istringstream again(file);
    const std::optional<WarcRecord> same = WarcReader(again, record->offset, record->skip).next();
    if (!same || same->fields != record->fields) std::abort();
    reader.finish_record();
  }
  if (reader.problems().size() > WarcReader::max_problems + 1) std::abort();
  return 0;
}
