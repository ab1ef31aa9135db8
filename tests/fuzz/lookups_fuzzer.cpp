// Fuzzes the readers of pages and answers that lead to a new address or an archived copy of a dead page; the first byte
// selects the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "crawler/lookups/archive.h"
#include "crawler/lookups/github_repositories.h"
#include "crawler/lookups/move_rules.h"
#include "crawler/lookups/named_addresses.h"
#include "crawler/lookups/site_listing.h"
#include "parser/timestamp.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

void must(bool condition) {
  if (!condition) std::abort();
}

void read(std::uint8_t reader, std::string_view text) {
  static const parser::Url url = parser::Url::parse("https://press.example.org/2014/kerning.html").value();
  static const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();
  static const Archive archive;
  static const DeadLink link{0, url, now};
  switch (reader % 8) {
    case 0: must(find_named_addresses(text, url).size() <= 5); break;
    case 1: must(read_site_listing(text, url).addresses.size() <= 50'000); break;
    case 2: (void)archive.read_captures(text, url, now); break;
    case 3: (void)archive.available_copy(text, link, now); break;
    case 4: (void)archive.nearest_copy(text, link, now); break;
    case 5: (void)read_repository(text); break;
    case 6: (void)read_files(text); break;
    default: (void)MoveRuleSet::read(text); break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  read(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
