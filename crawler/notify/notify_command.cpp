#include "crawler/notify/notify_command.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/notify/child_process.h"

namespace linkherd::crawler {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t max_output_bytes = 4096;  // of the end of the output
constexpr std::size_t max_shown = 200;

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all = child_environment();
  std::erase_if(all, [&variables](const std::string& text) {
    const auto is_set_anew = [name = text.substr(0, text.find('='))](const auto& variable) {
      return variable.first == name;
    };
    return std::ranges::any_of(variables, is_set_anew);
  });
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

// Starts the program with posix_spawn(), because fork() is unsafe in a process with threads. Resets signals that
// linkherd ignores. Ctrl-C reaches only linkherd. Returns an errno value, or 0.
int start(std::vector<std::string> words, const EnvironmentVariables& variables, int input, int output, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2}) sigaddset(&usual, number);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  std::vector<std::string> environment = environment_with(variables);
  const int error = posix_spawnp(&child, words.front().c_str(), &files, &attributes, pointers_to(words).data(),
                                 pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  text.remove_prefix(text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1);
  return std::string(text.substr(0, max_shown));
}

std::string describe_end(const ChildProcess& child) {
  const int status = child.status();
  if (WIFSIGNALED(status)) return fmt::format("was terminated by signal {}", WTERMSIG(status));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'') {
      if (++i == command.size()) return Error{"it ends with a backslash"};
      word = word.value_or("") + command[i];
    } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote == '\0' ? c : '\0';
      word = word.value_or("");
    } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      if (word) words.push_back(*word);
      word.reset();
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != '\0') return Error{fmt::format("a quote {} is not closed", quote)};
  if (word) words.push_back(*word);
  if (words.empty() || words.front().empty()) return Error{"it does not name a program"};
  return words;
}

Result<void> run_notify_command(const std::vector<std::string>& words, const EnvironmentVariables& variables,
                                std::string_view text, const std::function<bool()>& is_stopped,
                                std::chrono::milliseconds timeout) {
  const std::string& name = words.front();
  const storage::FileDescriptor input = file_in_memory("report", text);
  Pipe output = make_pipe();
  pid_t number = 0;
  if (const int error = start(words, variables, input.number(), output.writing.number(), number); error != 0)
    return Error{fmt::format("cannot start {}: {}", name, std::generic_category().message(error))};
  ChildProcess child(number);
  output.writing.close();
  const auto deadline = steady_clock::now() + timeout;
  std::string printed;
  bool was_stopped = false;
  read_parts(output.reading.number(), deadline, [&](std::string_view part) {
    printed += part;
    if (printed.size() > 2 * max_output_bytes) printed.erase(0, printed.size() - max_output_bytes);
    was_stopped = is_stopped();
    return !was_stopped;
  });
  if (was_stopped) return Error{name + " was stopped together with this run"};
  if (!child.ends_by(deadline)) return Error{fmt::format("{} took longer than {} s", name, timeout.count() / 1000)};
  if (child.ended_well()) return {};
  const std::string said = last_line(printed);
  return Error{fmt::format("{} {}{}{}", name, describe_end(child), said.empty() ? "" : ": ", said)};
}

}  // namespace linkherd::crawler
