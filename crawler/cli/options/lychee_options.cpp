#include "crawler/cli/options/lychee_options.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace linkherd::crawler {
namespace {

struct Hint {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view on_accept =
    "linkherd distinguishes refused requests from dead links; choose with --fail-on which links make the run fail";
constexpr std::string_view on_private = "private addresses are not fetched unless --allow-private is given";
constexpr std::string_view on_preprocess = "pipe the text in: `your-command | linkherd check -`";
constexpr std::string_view on_folders =
    "linkherd reads only prose documents from folders; pass other files by name or with a quoted glob, and exclude "
    "files with --exclude-path";

constexpr std::array<Hint, 28> options{{
    {"--accept", on_accept},
    {"-a", on_accept},
    {"--accept-timeouts", "timeouts do not fail a run unless --fail-on includes unreachable"},
    {"--archive", "--suggest queries the Internet Archive, or the archive set with --archive-url"},
    {"--base", "use --base-url for a URL, or --root-dir for a folder"},
    {"--cache", "linkherd always uses the store; --no-store turns it off"},
    {"--cache-exclude-status", "only links that were alive are taken from the store"},
    {"--default-extension", "a file that you name is read regardless of its extension; --input-format sets its format"},
    {"--dump", "use `linkherd links`"},
    {"--dump-inputs", "use `linkherd links`, which names the file of each link"},
    {"--exclude-all-private", on_private},
    {"-E", on_private},
    {"--exclude-file", "use --exclude-path, or a .linkherdignore file with link patterns"},
    {"--exclude-link-local", on_private},
    {"--exclude-loopback", on_private},
    {"--exclude-mail", "mail addresses are left out unless --include-mail is given"},
    {"--exclude-private", on_private},
    {"--extensions", on_folders},
    {"--generate", "use `linkherd completions SHELL`; the manual page is installed: man linkherd"},
    {"--glob-ignore-case", "write the glob with character classes: '**/[Rr][Ee][Aa][Dd][Mm][Ee].md'"},
    {"--headers", "use --header"},
    {"--hidden", "hidden files that git tracks are read; to read others, name them or their folder"},
    {"--host-stats", "use -v, or --format json"},
    {"--mode", "use --color never for plain text, and --format markdown for a task list"},
    {"--no-ignore", "--no-git reads files that git does not track; to read files that .gitignore excludes, name them"},
    {"--preprocess", on_preprocess},
    {"-p", on_preprocess},
    {"--require-https",
     "http links whose host redirects to https are in the section moved; --scheme https leaves http links out"},
}};

constexpr std::array<Hint, 2> values{{
    {"compact", "use text, which is just as short"},
    {"detailed", "use text with --all"},
}};

constexpr std::array<Hint, 3> host_settings{{
    {"concurrency", "use host_concurrency"},
    {"request_interval", "use host_request_interval"},
    {"headers", "use header_for = [\"https://example.com NAME:VALUE\"], outside the [hosts] table"},
}};

template <std::size_t N>
std::optional<std::string> find(const std::array<Hint, N>& hints, std::string_view name) {
  const auto* found = std::ranges::find(hints, name, &Hint::name);
  return found == hints.end() ? std::nullopt : std::optional(std::string(found->instead));
}

}  // namespace

std::optional<std::string> lychee_option_hint(std::string_view option) { return find(options, option); }
std::optional<std::string> lychee_value_hint(std::string_view value) { return find(values, value); }
std::optional<std::string> lychee_host_setting_hint(std::string_view key) { return find(host_settings, key); }

}  // namespace linkherd::crawler
