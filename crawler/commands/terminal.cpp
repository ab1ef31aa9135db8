#include "crawler/commands/terminal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>

namespace linkherd::crawler {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool no_color_wanted() { return !environment("NO_COLOR").empty() || is_dumb_terminal(); }

bool is_dumb_terminal() { return environment("TERM") == "dumb"; }

bool terminal_has_hyperlinks() {
  constexpr std::array<std::string_view, 6> programs = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"};
  constexpr std::array<std::string_view, 4> terminals = {"xterm-kitty", "foot", "alacritty", "xterm-ghostty"};
  constexpr int first_vte = 5000;
  const std::string_view forced = environment("FORCE_HYPERLINK");
  if (!forced.empty()) return forced != "0";
  if (std::ranges::find(programs, environment("TERM_PROGRAM")) != programs.end()) return true;
  if (std::ranges::find(terminals, environment("TERM")) != terminals.end()) return true;
  if (!environment("WT_SESSION").empty() || !environment("KONSOLE_VERSION").empty()) return true;
  const std::string_view vte = environment("VTE_VERSION");
  int version = 0;
  std::from_chars(vte.data(), vte.data() + vte.size(), version);
  return version >= first_vte;
}

}  // namespace linkherd::crawler
