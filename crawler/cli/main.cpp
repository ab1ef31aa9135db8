#include <cstddef>
#include <iostream>

#ifdef LINKHERD_TCMALLOC
#include <gperftools/malloc_extension_c.h>
#endif
#include <unistd.h>

#include "crawler/cli/command_line.h"
#include "crawler/cli/process.h"

namespace {

// By default, tcmalloc lets threads cache 32 MiB of freed memory. This limit is just as fast, because the threads
// exchange memory all the time.
void limit_freed_memory() {
#ifdef LINKHERD_TCMALLOC
  MallocExtension_SetNumericProperty("tcmalloc.max_total_thread_cache_bytes", std::size_t{2} << 20U);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  limit_freed_memory();
  linkherd::crawler::open_standard_descriptors();
  linkherd::crawler::install_out_of_memory_handler();
  linkherd::crawler::ignore_user_signals();
  std::ios::sync_with_stdio(false);
  linkherd::crawler::turn_output_signals_into_errors(std::cout);
  const linkherd::crawler::Streams streams{std::cin, std::cout, std::cerr, isatty(STDOUT_FILENO) != 0,
                                           isatty(STDERR_FILENO) != 0};
  return linkherd::crawler::run_command_line(argc, argv, streams);
}
