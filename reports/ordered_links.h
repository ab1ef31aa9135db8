// Writes links in the order of a report, but reads them in the order of the store. Reading a link alone takes several
// times as long as reading it after its neighbour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "storage/checked_links.h"

namespace linkherd::reports {

// Appends the text of a link to `out`. `position` is the index of its number in `numbers`. Called once for each link,
// in any order.
using RenderLink = std::function<void(std::size_t position, const storage::CheckedLink& link, std::string& out)>;
// Appends that text to `out`, with everything before and after it. Called in the order of `numbers`.
using AppendLink = std::function<void(std::size_t position, std::string_view text, std::string& out)>;

// `numbers` lists links, each once. Texts wait in memory, or in a temporary file if they are many.
void write_in_order(std::ostream& out, const storage::CheckedLinks& links, std::span<const std::uint32_t> numbers,
                    const RenderLink& render, const AppendLink& append);

}  // namespace linkherd::reports
