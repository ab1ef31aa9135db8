// Links as entries of the text report: where a link is written, what is wrong with it, and how much of a list is shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "reports/sections.h"
#include "reports/text_report.h"
#include "reports/text_writer.h"
#include "storage/checked_links.h"

namespace linkherd::reports {

inline constexpr std::size_t first_screen = 20;  // entries of a section without -v

// How many of `size` to show. Never all but one: the line that says so takes the place of the one.
std::size_t shown(std::size_t size, std::size_t limit, const TextOptions& options);

// "… and 23 more (-v shows all)".
std::string and_more(std::size_t hidden);

// What is wrong in words, with the certificate's expiry and the time since when where they belong to it.
std::string explained(const storage::CheckedLink& link);

// The same and what to do: "404 Not Found — find the new address or remove it".
std::string explained_with_advice(const storage::CheckedLink& link);

// The way there, `headline`, in the long form the evidence, and all other places.
TextEntry entry_of(const storage::CheckedLink& link, std::string headline, const TextOptions& options);

// The first `number` links of `list` as entries, and how many of it that leaves out. `headline`: what to say of a link.
void write_links(TextWriter& writer, const storage::CheckedLinks& links, const LinkList& list, std::size_t number,
                 const TextOptions& options, std::size_t indent,
                 const std::function<std::string(const storage::CheckedLink&)>& headline);

}  // namespace linkherd::reports
