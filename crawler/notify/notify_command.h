// Runs a user's program to notify it of a run.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/result.h"

namespace linkherd::crawler {

// Splits a command such as "mail -s 'Broken links' me@example.org" into words. Quotes and backslashes work as in a
// shell; no other shell syntax is supported.
Result<std::vector<std::string>> split_command(std::string_view command);

using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;  // names and values

// Runs a command with `text` as its standard input, until it ends or `is_stopped` returns true. `words` are the
// program, which is searched in PATH, and its arguments. `variables` are added to the environment. After `timeout`, the
// program and its child processes are killed. Returns an Error if the command cannot be started, is killed, or exits
// with a code other than 0. The Error contains the last lines of its output.
Result<void> run_notify_command(const std::vector<std::string>& words, const EnvironmentVariables& variables,
                                std::string_view text, const std::function<bool()>& is_stopped,
                                std::chrono::milliseconds timeout = std::chrono::minutes(1));

}  // namespace linkherd::crawler
