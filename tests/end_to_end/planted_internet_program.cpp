// The small internet with all planted sites, and a server of faults, as a process of its own: for tests/same_output.py.
// Prints the options that lead into it, one a line, an empty line, and the list of planted.md; serves until its
// standard input ends. Each fault has its host, reset.fault.herd and so on, at port 8080.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/end_to_end/planted_sites.h"
#include "tests/support/fault_server.h"
#include "tests/support/small_internet.h"

using namespace linkherd::tests;

int main() {
  SmallInternet internet;
  plant_sites(internet);
  const FaultServer faults;
  for (const auto& fault : fault_names) internet.host(std::string(fault.name) + ".fault.herd");
  std::string text = "--connect-to\n*:8080::" + std::to_string(faults.port()) + "\n";
  for (const std::string& word : internet.options()) text += word + "\n";
  text += "\n" + planted_list();
  std::fputs(text.c_str(), stdout);
  std::fclose(stdout);
  while (std::getchar() != EOF) {
  }
}
