#include <iostream>

#include <unistd.h>

#include "crawler/commands/command_line.h"
#include "crawler/commands/process.h"

int main(int argc, char** argv) {
  linkherd::crawler::open_standard_descriptors();
  linkherd::crawler::install_out_of_memory_handler();
  linkherd::crawler::ignore_user_signals();
  std::ios::sync_with_stdio(false);
  linkherd::crawler::turn_output_signals_into_errors(std::cout);
  const linkherd::crawler::Streams streams{std::cin, std::cout, std::cerr, isatty(STDOUT_FILENO) != 0,
                                           isatty(STDERR_FILENO) != 0};
  return linkherd::crawler::run_command_line(argc, argv, streams);
}
