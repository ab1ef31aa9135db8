// Prints its port, then serves until it is killed.
#include <cstdio>

#include <unistd.h>

#include "tests/support/fault_server.h"

int main() {
  const linkherd::tests::FaultServer server;
  std::printf("%u\n", static_cast<unsigned>(server.port()));
  std::fflush(stdout);
  pause();
}
