// linkherd report: what the latest run found, from the store, without the network.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_report_command(CLI::App& app);

}  // namespace linkherd::crawler
