// linkherd history URL: what happened to one link, newest first, from the store.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_history_command(CLI::App& app);

}  // namespace linkherd::crawler
