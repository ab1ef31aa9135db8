// Writes links in the order of a report, and reads them in the order in which a store has them: to read a link by
// itself takes several times as long as to read it after its neighbour.
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

// Appends the text of a link to `out`. `position`: of its number in the list. Called once for each, in any order.
using RenderLink = std::function<void(std::size_t position, const storage::CheckedLink& link, std::string& out)>;
// Appends that text to `out`, with what stands before and behind it. Called in the order of the list.
using AppendLink = std::function<void(std::size_t position, std::string_view text, std::string& out)>;

// `numbers`: of links, each once. Texts wait in memory, and when they are many in a temporary file.
void write_in_order(std::ostream& out, const storage::CheckedLinks& links, std::span<const std::uint32_t> numbers,
                    const RenderLink& render, const AppendLink& append);

}  // namespace linkherd::reports
