// The kinds of changes that `linkherd fix` can make.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "parser/enum_names.h"

namespace linkherd::crawler {

// The names are the values of `--only`.
enum class FixKind : std::uint8_t {
  redirects,    // replace the URL of a page that moved permanently
  https,        // use https if it leads to the same page
  tracking,     // remove parameters that only identify where a reader came from
  redirectors,  // replace a link through a redirecting site with its target
  schemes,      // add a scheme to targets such as "example.com/page"
  anchors,      // correct a misspelled anchor in a file or page
  relocated,    // replace a dead link with the new address of its page
  archived,     // replace a dead link with its archived copy
  titles,       // replace the text of a link with the title of its page
};
inline constexpr std::array<EnumName<FixKind>, 9> fix_kind_names{{{FixKind::redirects, "redirects"},
                                                                  {FixKind::https, "https"},
                                                                  {FixKind::tracking, "tracking"},
                                                                  {FixKind::redirectors, "redirectors"},
                                                                  {FixKind::schemes, "schemes"},
                                                                  {FixKind::anchors, "anchors"},
                                                                  {FixKind::relocated, "relocated"},
                                                                  {FixKind::archived, "archived"},
                                                                  {FixKind::titles, "titles"}}};

using FixKinds = std::set<FixKind>;

}  // namespace linkherd::crawler
