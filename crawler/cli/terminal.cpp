#include "crawler/cli/terminal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <sys/ioctl.h>

#include "crawler/cli/process.h"

namespace linkherd::crawler {

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool no_color_wanted() { return !environment_variable("NO_COLOR").empty() || is_dumb_terminal(); }

bool is_dumb_terminal() { return environment_variable("TERM") == "dumb"; }

bool terminal_has_hyperlinks() {
  constexpr std::array<std::string_view, 6> programs = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"};
  constexpr std::array<std::string_view, 4> terminals = {"xterm-kitty", "foot", "alacritty", "xterm-ghostty"};
  constexpr int first_vte = 5000;
  const std::string forced = environment_variable("FORCE_HYPERLINK");
  if (!forced.empty()) return forced != "0";
  if (std::ranges::find(programs, environment_variable("TERM_PROGRAM")) != programs.end()) return true;
  if (std::ranges::find(terminals, environment_variable("TERM")) != terminals.end()) return true;
  if (!environment_variable("WT_SESSION").empty() || !environment_variable("KONSOLE_VERSION").empty()) return true;
  const std::string vte = environment_variable("VTE_VERSION");
  int version = 0;
  std::from_chars(vte.data(), vte.data() + vte.size(), version);
  return version >= first_vte;
}

}  // namespace linkherd::crawler
