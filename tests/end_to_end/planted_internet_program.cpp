// Runs the SmallInternet with all planted sites, and a server of faults, in a separate process: for ./bootstrap demo,
// the browser test and tests/same_output.py. Prints the options that connect to it, one per line, and an empty line,
// then serves until its stdin ends. Each fault has a host, such as reset.fault.herd, at port 8080.
//   linkherd_planted_internet             also prints the list of planted.md and closes stdout
//   linkherd_planted_internet --commands  reads lines "gone URL" (the page returns 404 from now on) and "alive URL"
//                                         (it is an ordinary page), and answers each with a line "done"
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "parser/url/url.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/support/fault_server.h"
#include "tests/support/small_internet.h"

using namespace linkherd::tests;

namespace {

void obey(SmallInternet& internet, const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return;
  const auto url = linkherd::parser::Url::parse(line.substr(blank + 1));
  if (url.has_error()) return;
  const bool is_gone = std::string_view(line).substr(0, blank) == "gone";
  internet.host(std::string(url->host()))
      .page(std::string(url->path()),
            is_gone ? status_page(404) : html_page("<title>A page</title><h1>A page</h1><p>It works again."));
}

}  // namespace

int main(int argc, char** argv) {
  SmallInternet internet;
  plant_sites(internet);
  const FaultServer faults;
  for (const auto& fault : fault_names) internet.host(std::string(fault.name) + ".fault.herd");
  std::string text = "--connect-to\n*:8080::" + std::to_string(faults.port()) + "\n";
  for (const std::string& word : internet.options()) text += word + "\n";
  const bool takes_commands = argc > 1 && std::string_view(argv[1]) == "--commands";
  std::cout << text << "\n" << (takes_commands ? std::string() : planted_list()) << std::flush;
  if (!takes_commands) std::fclose(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (!takes_commands) continue;
    obey(internet, line);
    std::cout << "done\n" << std::flush;
  }
}
