// The kinds of changes that `linkherd fix` makes.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "parser/enum_names.h"

namespace linkherd::crawler {

// The names are the values of `--only`.
enum class FixKind : std::uint8_t {
  redirects,    // a page that moved for good
  https,        // the same page is there by https
  tracking,     // parameters that only say where a reader came from
  redirectors,  // a link through a site that only leads on
  schemes,      // "example.com/page" as a target
  anchors,      // a misspelled place in a file or page
  archived,     // a dead link, to the copy of an archive
  titles,       // the text of a link, to the title of its page
};
inline constexpr std::array<EnumName<FixKind>, 8> fix_kind_names{{{FixKind::redirects, "redirects"},
                                                                  {FixKind::https, "https"},
                                                                  {FixKind::tracking, "tracking"},
                                                                  {FixKind::redirectors, "redirectors"},
                                                                  {FixKind::schemes, "schemes"},
                                                                  {FixKind::anchors, "anchors"},
                                                                  {FixKind::archived, "archived"},
                                                                  {FixKind::titles, "titles"}}};

using FixKinds = std::set<FixKind>;

}  // namespace linkherd::crawler
