// What the text report says of a link: the words of its entry, the URL as it is written, and what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

enum class Detail : std::uint8_t {
  brief,  // the first screen: one or two lines
  usual,  // all places, and what is needed to mend it
  all,    // also the evidence, each redirect, and the URL as it is requested
};

struct LinkLines {
  const Report& report;
  Section section = Section::dead;
  Detail detail = Detail::usual;

  // `columns`: for texts that must be short; 0: the width is not known.
  TextEntry entry(const Finding& link, const LinkGroup& group, std::size_t columns) const;
};

}  // namespace linkherd::reports
