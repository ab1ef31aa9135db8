// Tells a program of the user about a run.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/result.h"

namespace linkherd::crawler {

// "mail -s 'Broken links' me@example.org" in words: quotes and backslashes as in a shell, and nothing else of one.
Result<std::vector<std::string>> words_of_command(std::string_view command);

struct NotifyCommand {
  std::vector<std::string> words;  // the program, which is looked for in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> variables;  // added to the environment
  std::chrono::milliseconds timeout{60'000};                   // then it is killed, with what it has started
};

// Runs it with `text` as its standard input, until it ends or `is_stopped`. What it prints is read, and its last lines
// are a part of the error. An error where it cannot be started, is killed, or exits otherwise than with 0.
Result<void> run_notify_command(const NotifyCommand& command, std::string_view text,
                                const std::function<bool()>& is_stopped);

}  // namespace linkherd::crawler
