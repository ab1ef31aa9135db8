// linkherd url: how a URL is read, and what it is compared by.
#pragma once

#include "crawler/commands/command.h"

namespace linkherd::crawler {

Command add_url_command(CLI::App& app);

}  // namespace linkherd::crawler
