// linkherd links: the link occurrences of the lists, without the network.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_links_command(CLI::App& app);

}  // namespace linkherd::crawler
