// The sections of the text report, in the order in which they are read. An empty section writes nothing.
#pragma once

#include <vector>

#include "reports/report.h"
#include "reports/text_report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

using LinkList = std::vector<const storage::CheckedLink*>;

// Every link of a report is in exactly one of these.
struct SortedLinks {
  LinkList broken;      // dead and insecure
  LinkList doubtful;    // dead by their content, and not surely: a warning
  LinkList moved;       // permanently
  LinkList unverified;  // blocked
  LinkList unanswered;  // unreachable
  LinkList put_off;     // deferred
  LinkList skipped;
  LinkList fine;  // alive, and redirected for the time being
};
SortedLinks sort_links(const Report& report);

void write_broken(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_doubtful(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_moved(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_repeated(TextWriter& writer, const Report& report, const TextOptions& options);
void write_unverified(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_unanswered(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_put_off(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_skipped(TextWriter& writer, const LinkList& links, const TextOptions& options);
void write_fine(TextWriter& writer, const LinkList& links);

}  // namespace linkherd::reports
