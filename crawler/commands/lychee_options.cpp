#include "crawler/commands/lychee_options.h"

#include <algorithm>
#include <array>

namespace linkherd::crawler {
namespace {

struct Refusal {
  std::string_view option;
  std::string_view instead;
};

constexpr std::array<Refusal, 20> refusals{{
    {"--accept", "linkherd tells refusals from dead links by itself; choose what fails the run with --fail-on"},
    {"-a", "linkherd tells refusals from dead links by itself; choose what fails the run with --fail-on"},
    {"--accept-timeouts", "timeouts do not fail a run unless --fail-on names unreachable"},
    {"--archive", "there are no archive look-ups"},
    {"--cache", "the store always remembers; --no-store turns it off"},
    {"--cache-exclude-status", "only what was alive is taken from the store"},
    {"--dump", "use `linkherd links`"},
    {"--dump-inputs", "use `linkherd links`, which names the file of each link"},
    {"--exclude-all-private", "private addresses are never fetched unless --allow-private is given"},
    {"-E", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-private", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-link-local", "private addresses are never fetched unless --allow-private is given"},
    {"--exclude-loopback", "private addresses are never fetched unless --allow-private is given"},
    {"--generate", "see linkherd --help-all"},
    {"--github-token", "GitHub pages are fetched as anybody would"},
    {"--host-stats", "use -v, or --format json"},
    {"--mode", "use --color"},
    {"--preprocess", "pipe the text in: `your-command | linkherd check -`"},
    {"-p", "pipe the text in: `your-command | linkherd check -`"},
    {"--suggest", "there are no archive look-ups"},
}};

}  // namespace

std::optional<std::string> refuse_lychee_option(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  const auto* found = std::ranges::find(refusals, name, &Refusal::option);
  if (found == refusals.end()) return std::nullopt;
  return std::string(name) + " is no option of linkherd: " + std::string(found->instead);
}

}  // namespace linkherd::crawler
