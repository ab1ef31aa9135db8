// The sections of the text report, in the order in which they are read. An empty section writes nothing.
#pragma once

#include "reports/report.h"
#include "reports/text_report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

void write_broken(TextWriter& writer, const Report& report, const LinkList& links, const TextOptions& options);
void write_doubtful(TextWriter& writer, const Report& report, const TextOptions& options);
void write_moved(TextWriter& writer, const Report& report, const TextOptions& options);
void write_repeated(TextWriter& writer, const Report& report, const TextOptions& options);
void write_unverified(TextWriter& writer, const Report& report, const TextOptions& options);
void write_unanswered(TextWriter& writer, const Report& report, const TextOptions& options);
void write_put_off(TextWriter& writer, const Report& report, const TextOptions& options);
void write_skipped(TextWriter& writer, const Report& report, const TextOptions& options);
void write_fine(TextWriter& writer, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
