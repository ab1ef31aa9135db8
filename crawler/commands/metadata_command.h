// linkherd metadata: title, authors, dates and more of saved pages. Never the network.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_metadata_command(CLI::App& app);

}  // namespace linkherd::crawler
