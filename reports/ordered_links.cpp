#include "reports/ordered_links.h"

#include <ostream>
#include <vector>

#include "storage/spill_file.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{64} << 10;

}  // namespace

void write_in_order(std::ostream& out, const storage::CheckedLinks& links, std::span<const std::uint32_t> numbers,
                    const RenderLink& render, const AppendLink& append) {
  storage::SpillFile texts;
  std::vector<storage::SpillFile::Extent> extents(numbers.size());
  std::string text;
  links.for_each_of(numbers, [&](std::size_t position, const storage::CheckedLink& link) {
    text.clear();
    render(position, link, text);
    extents[position] = texts.add(text);
    return true;
  });
  text.clear();
  for (std::size_t position = 0; position < numbers.size(); ++position) {
    append(position, texts.read(extents[position]), text);
    if (text.size() < bytes_at_once) continue;
    out << text;
    text.clear();
  }
  out << text;
}

}  // namespace linkherd::reports
