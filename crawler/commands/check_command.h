// linkherd check: extract, fetch, judge, store, report.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_check_command(CLI::App& app);

}  // namespace linkherd::crawler
