#include "crawler/cli/command_line.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/cli/command_examples.h"
#include "crawler/cli/command_tree.h"
#include "crawler/cli/options/option_table.h"
#include "parser/html/html_document.h"
#include "tests/crawler/cli/run_command.h"

using namespace linkherd::crawler;

using Words = std::vector<std::string>;

TEST_CASE("bad options and values exit with 3 and one line that names them") {
  const TempCurrentFolder here;
  const std::vector<std::vector<std::string>> rows = {
      {"frobnicate"},
      {"check", "--frobnicate"},
      {"--frobnicate"},
      {"--frobnicate", "check"},
      {"help", "frobnicate"},
      {"runs", "frobnicate"},
      {"check", "--exclude", "("},
      {"check", "--remap", "a"},
      {"check", "--exclude-path", "["},
      {"store", "forget", "--pattern", "("},
      {"check", "--store", ""},
      {"check", "--output", ""},
      {"check", "--log-file", ""},
      {"check", "--user-agent", ""},
      {"check", "--files-from", ""},
      {"check", "--tracking-rules", ""},
      {"check", "--client-cert", ""},
      {"check", "--store=", "list.md"},
      {"check", "--output=", "list.md"},
      {"check", "--allow-private="},
      {"metadata", "--url", "", "page.html"},
      {"url", "--base-url", "", "https://a.cn/"},
      {"check", "--scheme", "ftpx"},
      {"check", "--scheme", "ftp"},
      {"check", "--fail-on", ","},
      {"check", "--fail-on", "dead,"},
      {"check", "--index-files", ","},
      {"check", "--fallback-extensions", "htm,,html"},
      {"check", "--ca-file", "missing.pem"},
      {"check", "--ca-file", "/dev/zero"},
      {"check", "--ca-file", "."},
      {"check", "--cookie-jar", "/dev/zero"},
      {"check", "--timeout", "soon"},
      {"check", "--timeout", "-5s"},
      {"check", "--max-concurrency", "0"},
      {"check", "--max-concurrency", "many"},
      {"check", "--format", "yaml"},
      {"check", "--fail-on", "dead,broken"},
      {"check", "--robots", "maybe"},
      {"check", "--base-url", "not a url"},
      {"check", "--now", "yesterday"},
      {"check", "--max-body", "much"},
      {"check", "--timeout", "0"},
      {"check", "--connect-timeout", "0ms"},
      {"check", "--link-timeout", "0"},
      {"check", "--max-deferred", "nan"},
      {"check", "--outage-share", "nan"},
      {"check", "--outage-share", "0"},
      {"check", "--user-agent", "a\r\nX-Evil: 1"},
      {"check", "--dns-server", "127.0.0.1:99999"},
      {"check", "--connect-to", "a:b:c:d"},
      {"check", "--config", ""},
      {"check", "--config", "/"},
      {"check", "--config", "/dev/zero"},
      {"metadata", "--url", "not a url", "page.html"},
      {"check", "--header", "secret"},
      {"check", "--header", "Host: secret"},
      {"check", "--header-for", "X-Key: secret"},
      {"check", "--basic-auth", "secret"},
      {"check", "--cookie-jar", "missing-secret.txt"},
      {"check", "--client-cert", "missing.pem"},
      {"check", "--client-key", "missing.pem"},
      {"check", "--min-tls", "1.5"},
      {"check", "--method", "post"},
      {"check", "--proxy", "ftp://me:secret@proxy"},
      {"check", "--ipv4", "--ipv6"},
      {"check", "--resolver", "magic"},
      {"check", "--dns-server", "dns.test"},
      {"check", "--connect-to", "a:b"},
      {"check", "--allow-private=intranet"},
      {"check", "--link-timeout", "long"},
      {"check", "--low-speed-time", "long"},
      {"check", "--max-stalled", "-1"},
      {"check", "--config", "missing.toml"},
      {"url"},
      {"history"},
      {"history", "not a url"},
      {"export", "--format", "xls"},
      {"metadata", "--url", "https://a.cn/", "--files-from", "x"},
  };
  for (const auto& row : rows) {
    CAPTURE(row);
    const Outcome outcome = run(row);
    CHECK(outcome.code == 3);
    CHECK(outcome.out.empty());
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.err.starts_with("linkherd: "));
  }
}

TEST_CASE("an invalid duration is quoted") {
  const TempCurrentFolder here;
  const Outcome outcome = run({"check", "--timeout", "soon"});
  CHECK(outcome.err.find("--timeout") != std::string::npos);
  CHECK(outcome.err.find("soon") != std::string::npos);
}

TEST_CASE("a mistyped command or option or value gets a suggestion") {
  const TempCurrentFolder here;
  struct Row {
    std::vector<std::string> words;
    std::string said;
  };
  for (const Row& row : std::vector<Row>{
           {{"chekc"}, "there is no command chekc; did you mean check?"},
           {{"help", "chekc"}, "there is no command chekc; did you mean check?"},
           {{"check", "--tiemout", "3s"}, "`linkherd check` has no option --tiemout; did you mean --timeout?"},
           {{"check", "--max-concurency=3"}, "no option --max-concurency; did you mean --max-concurrency?"},
           {{"--no-stroe", "check"}, "no option --no-stroe; did you mean --no-store?"},
           {{"runs", "--timeout", "3"}, "`linkherd runs` has no option --timeout; it is an option of check"},
           {{"check", "--format", "jsn"}, "; did you mean json?"},
           {{"check", "--fail-on", "alive,dad"}, "; did you mean dead?"},
           {{"check", "--only", "unreachabel"}, "; did you mean unreachable?"},
           {{"check", "--section", "brokn"}, "; did you mean broken?"},
           {{"check", "--output", "jnuit:x"}, "; did you mean junit?"},
           {{"links", "--input-format", "markdow"}, "; did you mean markdown?"}}) {
    const Outcome outcome = run(row.words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, row.said));
  }
}

TEST_CASE("a message names its option once by its long name") {
  const TempCurrentFolder here;
  struct Row {
    std::vector<std::string> words;
    std::string said;
  };
  for (const Row& row :
       std::vector<Row>{{{"check", "-t", "soon"}, "linkherd: --timeout: \"soon\" is"},
                        {{"check", "-f", "x"}, "linkherd: --format: x is not one of"},
                        {{"check", "--allow-private=intranet"}, "linkherd: --allow-private: \"intranet\" is"},
                        {{"check", "--include-fragments=most"}, "linkherd: --include-fragments: most is not one of"},
                        {{"check", "--exclude", "("}, "linkherd: --exclude: the pattern ( cannot be used"},
                        {{"check", "--remap", "a"}, "linkherd: --remap: it must be"},
                        {{"check", "--store"}, "linkherd: --store needs a value"},
                        {{"check", "--store", "a", "--store", "b"}, "linkherd: --store is given more than once"},
                        {{"check", "--threads", "x"}, "linkherd: --threads: x is not a whole number from 1 to 64"}}) {
    const Outcome outcome = run(row.words);
    CHECK_MESSAGE(outcome.err.starts_with(row.said), outcome.err);
  }
}

TEST_CASE("options may precede the command") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  for (const Words& words :
       {Words{"--offline", "check", "list.md"}, Words{"--store", "check", "--offline", "check", "list.md"},
        Words{"-qf", "json", "--offline", "check", "list.md"}, Words{"-fjson", "check", "--offline", "list.md"},
        Words{"--format=json", "check", "--offline", "list.md"}, Words{"-v", "-v", "check", "--offline", "list.md"}}) {
    CAPTURE(words);
    const Outcome outcome = run(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
  }
  CHECK(run({"--version", "check"}).out.starts_with("linkherd "));
  CHECK(has(run({"--help", "check"}).out, "--timeout"));
}

TEST_CASE("every option of lychee 0.24 is accepted or refused with a replacement") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  here.folder.write("cookies.txt", "# Netscape HTTP Cookie File\n");
  here.folder.write("inputs.txt", "list.md\n");
  here.folder.write("own.toml", "timeout = 3\n");
  const std::vector<Words> taken{{"--base-url", "https://a.cn/"},
                                 {"-b", "https://a.cn/"},
                                 {"--basic-auth", "https://a.cn user:pass"},
                                 {"--config", "own.toml"},
                                 {"-c", "own.toml", "-c", "own.toml"},
                                 {"--cookie-jar", "cookies.txt"},
                                 {"--exclude", "x", "--exclude", "y"},
                                 {"--include", "x"},
                                 {"--exclude-path", "x"},
                                 {"--fallback-extensions", "md,html"},
                                 {"--index-files", "index.md,."},
                                 {"--root-dir", "."},
                                 {"--files-from", "inputs.txt"},
                                 {"--format", "json"},
                                 {"--format", "junit"},
                                 {"-f", "markdown"},
                                 {"--header", "Accept: text/html"},
                                 {"-H", "A: b", "-H", "C: d"},
                                 {"--host-concurrency", "10"},
                                 {"--host-request-interval", "50ms"},
                                 {"--include-fragments"},
                                 {"--include-fragments=none"},
                                 {"--include-fragments=file"},
                                 {"--include-fragments=web"},
                                 {"--include-fragments=anchor-only"},
                                 {"--include-fragments=text-only"},
                                 {"--include-fragments=full"},
                                 {"--include-mail"},
                                 {"--include-mail=false"},
                                 {"--include-verbatim"},
                                 {"--include-wikilinks"},
                                 {"--insecure"},
                                 {"-i"},
                                 {"--max-cache-age", "1d"},
                                 {"--max-concurrency", "128"},
                                 {"--max-redirects", "10"},
                                 {"-m", "10"},
                                 {"--max-retries", "3"},
                                 {"--method", "get"},
                                 {"-X", "head,get"},
                                 {"--min-tls", "TLSv1_2"},
                                 {"--no-progress"},
                                 {"-n"},
                                 {"--offline=true"},
                                 {"--output", "out.txt"},
                                 {"-o", "out.txt"},
                                 {"--quiet"},
                                 {"-qq"},
                                 {"--remap", "a b"},
                                 {"--retry-wait-time", "1"},
                                 {"-r", "1"},
                                 {"--scheme", "https", "--scheme", "http", "--scheme", "file"},
                                 {"-s", "file"},
                                 {"--skip-missing"},
                                 {"--suggest"},
                                 {"--threads", "2"},
                                 {"-T", "2"},
                                 {"--timeout", "20"},
                                 {"-t", "20"},
                                 {"--user-agent", "me"},
                                 {"-u", "me"},
                                 {"--verbose"},
                                 {"-vvv"}};
  for (const Words& words : taken) {
    CAPTURE(words);
    Words all{"check", "--no-store", "--offline", "list.md"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(all);
    CHECK_MESSAGE(outcome.code == 0, outcome.err);
  }
  struct Row {
    Words words;
    std::string instead;
  };
  for (const Row& row : std::vector<Row>{{{"--accept", "200,429"}, "--fail-on"},
                                         {{"--accept=200"}, "--fail-on"},
                                         {{"-a", "200"}, "--fail-on"},
                                         {{"--accept-timeouts"}, "--fail-on"},
                                         {{"--archive", "wayback"}, "--archive-url"},
                                         {{"--cache"}, "--no-store"},
                                         {{"--cache=false"}, "--no-store"},
                                         {{"--cache-exclude-status", "500.."}, "from the store"},
                                         {{"--default-extension", "md"}, "--input-format"},
                                         {{"--dump"}, "`linkherd links`"},
                                         {{"--dump-inputs"}, "`linkherd links`"},
                                         {{"--exclude-all-private"}, "--allow-private"},
                                         {{"-E"}, "--allow-private"},
                                         {{"--exclude-link-local"}, "--allow-private"},
                                         {{"--exclude-loopback"}, "--allow-private"},
                                         {{"--exclude-private"}, "--allow-private"},
                                         {{"--exclude-file", "x"}, "--exclude-path"},
                                         {{"--exclude-mail"}, "--include-mail"},
                                         {{"--extensions", "md,txt"}, "--exclude-path"},
                                         {{"--generate", "man"}, "linkherd completions"},
                                         {{"--glob-ignore-case"}, "[Rr]"},
                                         {{"--hidden"}, "name them"},
                                         {{"--host-stats"}, "--format json"},
                                         {{"--mode", "plain"}, "--color"},
                                         {{"--no-ignore"}, "--no-git"},
                                         {{"--preprocess", "cmd"}, "| linkherd check -"},
                                         {{"-p", "cmd"}, "| linkherd check -"},
                                         {{"--require-https"}, "--scheme https"},
                                         {{"--base", "x"}, "--base-url"},
                                         {{"--format", "compact"}, "; use text, which is just as short"},
                                         {{"--format", "detailed"}, "--all"}}) {
    CAPTURE(row.words);
    Words all{"check", "list.md"};
    all.insert(all.end(), row.words.begin(), row.words.end());
    const Outcome outcome = run(all);
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK_MESSAGE(has(outcome.err, row.instead), outcome.err);
    CHECK_FALSE(has(outcome.err, "secret"));
  }
}

TEST_CASE("help shows the common options and help-all the rest") {
  const Outcome help = run({"check", "--help"});
  CHECK(help.code == 0);
  CHECK(help.out.find("--timeout") != std::string::npos);
  CHECK(help.out.find("--confirm-wait") == std::string::npos);
  const Outcome all = run({"check", "--help-all"});
  CHECK(all.code == 0);
  CHECK(all.out.find("--timeout") != std::string::npos);
  CHECK(all.out.find("--confirm-wait") != std::string::npos);
  CHECK(run({"--help"}).out.find("Exit codes") != std::string::npos);
  CHECK(run({"--version"}).out.starts_with("linkherd "));
  CHECK(run({"version"}).out == run({"--version"}).out);
  CHECK(run({"help"}).out == run({"--help"}).out);
  CHECK(run({"help", "check"}).out == help.out);
  CHECK(run({"help", "check", "--all"}).out == all.out);
  CHECK(has(run({"help"}).out, "  history "));
}

TEST_CASE("help counts hidden options in the singular and gives required arguments no default") {
  CHECK(has(run({"help", "--help"}).out, "to see 1 more option.\n"));
  CHECK(has(run({"check", "--help"}).out, " more options.\n"));
  CHECK(has(run({"completions", "--help"}).out, "Shell [bash, zsh, fish; required]\n"));
}

TEST_CASE("a manual page has its summary in lower case and no space within a sentence that looks like an end") {
  const std::string page = run({"man", "check"}).out;
  CHECK(has(page, "\n.Nd \"check every link in your files"));
  CHECK(has(page, "\n.Os linkherd "));
  CHECK(has(page, "linked folder; . accepts"));
  CHECK(has(page, "amqps://... [not with\n"));
}

TEST_CASE("linkherd without arguments prints one screen of help and exits with 0") {
  const Outcome alone = run({});
  CHECK(alone.code == 0);
  CHECK(alone.err.empty());
  CHECK(alone.out == run({"--help"}).out);
  CHECK(std::ranges::count(alone.out, '\n') <= 40);
  for (const char* group : {"Check", "Report", "Repair", "Inspect", "Store", "Several machines", "Set-up"})
    CHECK(has(alone.out, fmt::format("\n  {} ", group)));
  CHECK(run({"store"}).out == run({"store", "--help"}).out);
  CHECK(has(run({"store"}).out, "  verify "));
  CHECK(has(run({"help", "store", "verify"}).out, "Usage: linkherd store verify "));
}

TEST_CASE("check --help shows at most 30 options in groups and five examples") {
  std::istringstream lines(run({"check", "--help"}).out);
  Words groups;
  int options = 0;
  int examples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':') && !line.starts_with(' ')) groups.push_back(line.substr(0, line.size() - 1));
    if (line.starts_with("  -")) ++options;
    if (line.starts_with("  linkherd ")) ++examples;
  }
  CHECK(groups == Words{"Examples", "Arguments", "Input", "Selection", "Network", "Failing", "Output", "Memory", "CI"});
  CHECK(options == 30);
  CHECK(examples == 5);
}

TEST_CASE("every row of the option table belongs to a command, and every option of check is in a group") {
  CLI::App app;
  const std::vector<Command> commands = add_commands(app);
  CheckOptions options;
  const std::vector<OptionGroup> table = option_table(options);
  for (const Option* row : rows_of(table)) {
    const auto has_option = [row](const Command& command) {
      return command.app->get_option_no_throw(row->long_name()) != nullptr;
    };
    CHECK_MESSAGE(std::ranges::any_of(commands, has_option), row->names);
  }
  CHECK(options_in(*commands.front().app, option_group_names().front()).empty());
}

TEST_CASE("the examples of every command can be parsed") {
  std::size_t count = 0;
  CLI::App all;
  for (const Command& command : add_commands(all)) {
    for (const CommandExample& example : examples_of(full_name(*command.app))) {
      CAPTURE(example.line);
      CLI::App app;
      const std::vector<Command> commands = add_commands(app);  // owns the targets of the parsed options
      const std::string arguments = example.line.substr(0, example.line.find(" > "));  // a shell's
      CHECK_NOTHROW(app.parse(arguments.substr(arguments.find(' ') + 1), false));
      CHECK(full_name(chosen_command(app)) == full_name(*command.app));
      ++count;
    }
  }
  CHECK(count > 30);
}

TEST_CASE("help describes values and limits of options in words") {
  const std::string all = run({"check", "--help-all"}).out;
  const std::string flowing = linkherd::parser::collapse_spaces(all);  // ignores line breaks
  CHECK(has(flowing, "[listed, respect, ignore; default: listed]"));
  CHECK(has(flowing, "[1 to 100; default: 3]"));
  CHECK(has(flowing, "[not with --audit, --changes-only, --only]"));
  for (const char* internal : {"INT", "UINT", " in [", "TEXT:", "REQUIRED", "Excludes"}) {
    CAPTURE(internal);
    CHECK_FALSE(has(all, internal));
  }
  for (const char* command : {"check", "links", "fix", "history", "accept"}) {
    std::istringstream lines(run({"help", command, "--all"}).out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }
}

TEST_CASE("an unusable proxy of the environment is named by its variable") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  setenv("https_proxy", "ftp://me:s3cret@proxy", 1);
  const Outcome outcome = run({"check", "--no-store", "--proxy", "env", "list.md"});
  CHECK(outcome.code == 3);
  CHECK(is_one_line(outcome.err));
  CHECK(has(outcome.err, "https_proxy"));
  CHECK_FALSE(has(outcome.err, "s3cret"));
  CHECK(run({"check", "--no-store", "list.md"}).code == 0);
  unsetenv("https_proxy");
  CHECK(run({"check", "--no-store", "--proxy", "env", "list.md"}).code == 0);
}

TEST_CASE("help and version work beside an unreadable configuration") {
  const TempCurrentFolder here;
  here.folder.write("linkherd.toml", "timeout = \n");
  CHECK(run({"help"}).code == 0);
  CHECK(run({"help", "check"}).code == 0);
  CHECK(run({"version"}).code == 0);
}

TEST_CASE("the documented defaults are the actual defaults") {
  const std::string help = run({"check", "--help-all"}).out;
  const std::pair<const char*, const char*> defaults[] = {
      {"--max-concurrency", "512"},
      {"--timeout", "20s"},
      {"--connect-timeout", "10s"},
      {"--host-concurrency", "6"},
      {"--host-request-interval", "100ms"},
      {"--max-retries", "3"},
      {"--max-redirects", "20"},
      {"--max-cache-age", "20h"},
      {"--strikes", "3"},
      {"--strike-interval", "20h"},
      {"--max-retry-after", "1m"},
      {"--confirm-wait", "10s"},
      {"--robots", "listed"},
      {"--outage-share", "0.5"},
      {"--max-deferred", "0.05"},
      {"--fail-on", "dead,insecure"},
      {"--duplicates", "across"},
      {"--max-body", "5MiB"},
      {"--include-fragments", "file"},
      {"--keep-runs", "50"},
      {"--keep-days", "730"},
  };
  for (const auto& [option, value] : defaults) {
    CAPTURE(option);
    const auto at = help.find(std::string(option) + " ");
    REQUIRE(at != std::string::npos);
    std::string words = help.substr(at, help.find("\n  -", at) - at);  // lines are wrapped
    words.erase(
        std::ranges::unique(words, [](char one, char other) { return std::isspace(one) && std::isspace(other); })
            .begin(),
        words.end());
    std::ranges::replace(words, '\n', ' ');
    CHECK_MESSAGE(has(words, std::string("default: ") + value + "]"), words);
  }
}

TEST_CASE("settings of linkherd.toml apply and the command line overrides them") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](rel/x) `https://code.cn/`\n");
  CHECK(run({"links", "list.md"}).out.find("code.cn") == std::string::npos);
  here.folder.write("linkherd.toml", "include_verbatim = true\nformat = \"jsonl\"\ntimeout = \"5s\"\n");
  const Outcome configured = run({"links", "list.md"});
  CHECK(configured.out.find("code.cn") != std::string::npos);
  CHECK(configured.out.starts_with("{"));
  CHECK_FALSE(run({"links", "list.md", "--format", "text"}).out.starts_with("{"));
}

TEST_CASE("links prints which links of an entry are secondary and which are mentions") {
  const TempCurrentFolder here;
  here.folder.write("list.md",
                    "- [Tool](https://a.cn/) [![badge](https://b.cn/)](https://c.cn/) after [d](https://d.cn/)\n");
  CHECK(run({"links", "list.md"}).out ==
        "list.md:1:10: https://a.cn/\nlist.md:1:35: https://b.cn/  [secondary]\nlist.md:1:51: https://c.cn/  "
        "[secondary]\nlist.md:1:76: https://d.cn/  [mention]\n");
}

TEST_CASE("linkherd.toml has settings per host and an error names the line and the setting") {
  const TempCurrentFolder here;
  here.folder.write("prose.md", "no link here\n");
  here.folder.write(
      "linkherd.toml",
      "[hosts.\"zhihu.com\"]\nhost_concurrency = 2\nhost_request_interval = \"1s\"\n[hosts.\"b\u00fccher.de\"]\n"
      "host_concurrency = 1\n");
  CHECK(run({"check", "--no-store", "prose.md"}).code == 0);  // the file is read and has no links
  CHECK(run({"links", "prose.md"}).code != 3);
  struct Row {
    const char* text;
    const char* said;
  };
  for (const Row& row : {Row{"[hosts.\"a.cn\"]\nhost_concurrency = 0\n", "from 1 to 1000"},
                         Row{"[hosts.\"a.cn\"]\nhost_request_interval = \"soon\"\n", "a.cn"},
                         Row{"[hosts.\"a.cn\"]\nspeed = 3\n", "speed is not a host setting"},
                         Row{"[hosts.\"https://a.cn/\"]\nhost_concurrency = 3\n", "not a host name"},
                         Row{"[hosts]\nhost_concurrency = 3\n", "must be a table of settings"}}) {
    CAPTURE(row.text);
    here.folder.write("linkherd.toml", row.text);
    const Outcome outcome = run({"check", "--no-store", "prose.md"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.err.find(row.said) != std::string::npos);
    CHECK(outcome.err.find("linkherd.toml:") != std::string::npos);
  }
}

TEST_CASE("a bad linkherd.toml exits with 3 and names the line") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](https://a.cn/)\n");
  for (const char* text : {"no_such_setting = 1\n", "format = \"yaml\"\n", "timeout = \n", "format = {a = 1}\n"}) {
    CAPTURE(text);
    here.folder.write("linkherd.toml", text);
    const Outcome outcome = run({"links", "list.md"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.err.find("linkherd.toml:1") != std::string::npos);
  }
}

TEST_CASE("a linkherd.toml key with thousands of parts is refused but not a string with as many dots") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](https://a.cn/)\n");
  std::string parts = "a";
  for (int i = 0; i < 100'000; ++i) parts += ".a";
  for (const std::string& text : {"[" + parts + "]\n", parts + " = 1\n", "format = {" + parts + " = 1}\n"}) {
    here.folder.write("linkherd.toml", text);
    const Outcome outcome = run({"links", "list.md"});
    CHECK(outcome.code == 3);
    CHECK(outcome.err.find("linkherd.toml:1") != std::string::npos);
  }
  here.folder.write("linkherd.toml", "exclude = \"" + parts.substr(0, 1000) + "\" # " + parts + "\n");
  CHECK(run({"links", "list.md"}).code == 0);
}

TEST_CASE("unusable inputs exit with 1 and one line") {
  const TempCurrentFolder here;
  std::filesystem::create_directory(here.folder / "nothing");
  for (const char* input : {"missing.md", "nothing"}) {
    CAPTURE(input);
    const Outcome outcome = run({"check", "--no-store", input});
    CHECK(outcome.code == 1);
    CHECK(outcome.out.empty());
    CHECK(is_one_line(outcome.err));
  }
}

TEST_CASE("an input without links is an error only on request") {
  const TempCurrentFolder here;
  here.folder.write("empty.md", "");
  here.folder.write("prose.md", "no link here\n");
  here.folder.write("nothing", "\n# nothing\n");
  for (const Words& inputs : {Words{"empty.md"}, Words{"prose.md", "empty.md"}, Words{"--files-from", "nothing"},
                              Words{"--skip-missing", "gone.md"}}) {
    for (const char* command : {"check", "links"}) {
      CAPTURE(command);
      CAPTURE(inputs);
      Words words{command};
      words.insert(words.end(), inputs.begin(), inputs.end());
      const Outcome outcome = run(words);
      CHECK(outcome.code == 0);
      CHECK(outcome.out.empty());
      CHECK(has(outcome.err, "linkherd: nothing to check: there is no link in the input\n"));
      words.emplace_back("-q");
      CHECK(run(words).err.empty());
      words.emplace_back("--fail-if-empty");
      CHECK(run(words).code == 1);
      CHECK(is_one_line(run(words).err));
    }
  }
  CHECK_FALSE(std::filesystem::exists(here.folder / ".linkherd"));
  const Outcome report = run({"check", "--format", "json", "empty.md"});
  CHECK(has(report.out, R"("links":0)"));
  CHECK(run({"check", "gone.md"}).code == 1);
}

TEST_CASE("an unreadable list is named and the other lists are checked") {
  const TempCurrentFolder here;
  here.folder.write("there.md", "");
  here.folder.write("list.md", "[a](there.md)\n");
  here.folder.write("picture.png", std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  const Outcome checked = run({"check", "--no-store", "-q", "picture.png", "list.md", "--format", "jsonl"});
  CHECK(checked.code == 1);
  CHECK(has(checked.out, R"("url":"there.md")"));
  CHECK(has(checked.err, "picture.png is not a text file"));
  const Outcome links = run({"links", "picture.png", "list.md"});
  CHECK(links.code == 1);
  CHECK(has(links.out, "there.md"));
  CHECK(has(links.err, "picture.png is not a text file"));
  here.folder.write("list.md", "[a](gone.md)\n");
  const Outcome broken = run({"check", "--no-store", "picture.png", "list.md"});
  CHECK(broken.code == 2);
  CHECK(has(broken.err, "picture.png is not a text file"));
}

TEST_CASE("an option that takes a list of names does not consume the input") {
  const TempCurrentFolder here;
  here.folder.write("index.md", "");
  here.folder.write("page.htm", "");
  here.folder.write("list.md", "[a](.) [b](page)\n");
  CHECK(run({"check", "--no-store", "--index-files", "x,index.md", "--fallback-extensions", "htm,html", "list.md"})
            .code == 0);
  CHECK(run({"check", "--no-store", "--fail-on", "dead,insecure", "list.md"}).code == 2);
}

TEST_CASE("a report that could not be written is refused before the run") {
  const TempCurrentFolder here;
  std::filesystem::create_directory(here.folder / "folder");
  for (const char* file : {"folder", "missing/report.json"}) {
    CAPTURE(file);
    const Outcome outcome = run({"check", "--no-store", "--output", file, "no_list_is_read.md"});
    CHECK(outcome.code == 1);
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.err.find(file) != std::string::npos);
  }
}

TEST_CASE("a list of pages with an endless line is refused") {
  const TempCurrentFolder here;
  const Outcome outcome = run({"metadata", "--files-from", "/dev/zero"});
  CHECK(outcome.code == 1);
  CHECK(is_one_line(outcome.err));
  CHECK(outcome.err.find("/dev/zero") != std::string::npos);
}

TEST_CASE("a repeatable option takes one value and does not consume the input") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](https://a.com/)\n");
  here.folder.write("other.md", "[b](https://b.com/)\n");
  for (const char* option : {"--dns-server", "--connect-to"}) {
    CAPTURE(option);
    const Outcome outcome = run({"check", "--no-store", option, "neither", "list.md"});
    CHECK(outcome.code == 3);
    CHECK(outcome.err.find("neither") != std::string::npos);
    CHECK(outcome.err.find("list.md") == std::string::npos);
  }
}

TEST_CASE("url prints how each input is parsed") {
  const Outcome outcome = run({"url", "HTTPS://Example.COM:443/a/../b?utm_source=x#f", "https://[x"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.find(R"("href":"https://example.com/b?utm_source=x#f")") != std::string::npos);
  CHECK(outcome.out.find(R"("untracked":"https://example.com/b")") != std::string::npos);
  CHECK(outcome.out.find(R"("registrable_domain":"example.com")") != std::string::npos);
  CHECK(outcome.out.find(R"("error":)") != std::string::npos);
  CHECK(run({"url", "--base-url", "https://a.cn/b/", "../c"}).out.find("https://a.cn/c") != std::string::npos);
}

TEST_CASE("links reads every input in the requested format") {
  struct Row {
    std::vector<std::string> options;
    bool comment, wikilink;  // found
  };
  const std::string text = "<!-- https://a.cn/x -->\n[[Page]] [b](https://b.cn/)\n";
  for (const Row& row : std::vector<Row>{{{"--input-format", "markdown"}, false, false},
                                         {{"--input-format", "text"}, true, false},
                                         {{"--input-format", "markdown", "--include-wikilinks"}, false, true}}) {
    std::vector<std::string> arguments{"links", "--format", "jsonl", "-"};
    arguments.insert(arguments.end(), row.options.begin(), row.options.end());
    const Outcome outcome = run(arguments, text);
    CAPTURE(outcome.out);
    CHECK(outcome.code == 0);
    CHECK((outcome.out.find(R"("url":"https://a.cn/x")") != std::string::npos) == row.comment);
    CHECK((outcome.out.find(R"("url":"Page")") != std::string::npos) == row.wikilink);
    CHECK(outcome.out.find(R"("href":"https://b.cn/")") != std::string::npos);
  }
  const Outcome refused = run({"links", "--input-format", "docx", "-"}, text);
  CHECK(refused.code == 3);
  CHECK(refused.err.find("markdown") != std::string::npos);
}

TEST_CASE("links reads stdin") {
  const Outcome outcome = run({"links", "--format", "jsonl", "-"}, "see https://a.cn/x。\n");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find(R"("file":"-")") != std::string::npos);
  CHECK(outcome.out.find(R"("url":"https://a.cn/x")") != std::string::npos);
  CHECK(outcome.out.find(R"("column":5)") != std::string::npos);
}

TEST_CASE("metadata reads saved pages and lists of them") {
  const TempCurrentFolder here;
  here.folder.write("page.html", "<title>A page</title><h1>A page</h1>");
  const Outcome one = run({"metadata", "page.html", "--url", "https://a.cn/p"});
  CHECK(one.code == 0);
  CHECK(one.out.find(R"("title":"A page")") != std::string::npos);
  CHECK(one.out.find(R"("url":"https://a.cn/p")") != std::string::npos);
  here.folder.write("list.tsv", "page.html\thttps://a.cn/p\nmissing.html\thttps://a.cn/q\n");
  const Outcome list = run({"metadata", "--files-from", "list.tsv"});
  CHECK(list.code == 1);
  CHECK(list.out.find(R"("file":"page.html")") != std::string::npos);
  CHECK(list.err.find("missing.html") != std::string::npos);
}

TEST_CASE("commands that need a store say what to do without one and create none") {
  const TempCurrentFolder here;
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"report"},
                                                                     {"history", "https://a.cn/"},
                                                                     {"runs"},
                                                                     {"export"},
                                                                     {"store", "info"},
                                                                     {"store", "verify"},
                                                                     {"store", "backup", "copies"},
                                                                     {"store", "compact"},
                                                                     {"store", "forget", "https://a.cn/"}}) {
    CAPTURE(arguments.front());
    const Outcome outcome = run(arguments);
    CHECK(outcome.code == 1);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "`linkherd check`"));
    CHECK_FALSE(std::filesystem::exists(".linkherd"));
  }
}

TEST_CASE("the log has the start and end of each run in UTC by the clock of the run") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](gone.md)\n");
  for (int i = 0; i < 2; ++i) {
    CHECK(run({"check", "--offline", "--no-store", "--log-file", "log.txt", "--now", "2031-01-01T00:00:00+08:00",
               "list.md"})
              .code == 2);
  }
  CHECK(run({"check", "--offline", "--no-store", "--log-file", "log.txt", "missing.md"}).code == 1);
  const std::string log = linkherd::tests::read_file(here.folder / "log.txt");
  CHECK(log.starts_with("[2030-12-31T16:00:0"));
  std::istringstream lines(log);
  int begins = 0, ends = 0, failures = 0;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::size_t time_width = sizeof("[2030-12-31T16:00:00.000Z]") - 1;
    CHECK(line.substr(time_width - 2, 3) == "Z] ");
    begins += has(line, " begins, process ") ? 1 : 0;
    ends += has(line, "linkherd check ends with exit code 2") ? 1 : 0;
    failures += has(line, "linkherd check ends with an error") ? 1 : 0;
  }
  CHECK(begins == 3);
  CHECK(ends == 2);
  CHECK(failures == 1);
}

TEST_CASE("history refuses a file path and an invalid URL with a clear message") {
  const TempCurrentFolder here;
  const Outcome outcome = run({"history", "docs/lost.md"});
  CHECK(outcome.code == 3);
  CHECK(has(outcome.err, "docs/lost.md is a file or not a URL"));
  CHECK(has(run({"history", "https://["}).err, "is not a valid URL"));
}

TEST_CASE("rules prints numbers without exponents") {
  const Outcome outcome = run({"rules", "--format", "jsonl"});
  CHECK(has(outcome.out, R"("confidence":1,)"));
  CHECK(has(outcome.out, R"("confidence":0.95,)"));
  CHECK_FALSE(has(outcome.out, "1E0"));
  const std::string all = run({"rules", "--format", "json"}).out;
  CHECK(all.starts_with("[{"));
  CHECK(all.ends_with("}]\n"));
}

TEST_CASE("many skipped files are reported in one line") {
  const TempCurrentFolder here;
  here.folder.write("docs/list.md", "[a](list.md)\n");
  for (int i = 0; i < 300; ++i) here.folder.write("docs/" + std::to_string(i) + ".md", std::string_view("\0\1\2", 3));
  const Outcome outcome = run({"check", "--offline", "--no-store", "docs"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.err, "skipped 300 inputs, such as docs/0.md: not a text file; -v lists all of them"));
  CHECK(std::ranges::count(outcome.err, '\n') == 2);
}

TEST_CASE("a missing store is not merged and no store is created for it") {
  const TempCurrentFolder here;
  const Outcome outcome = run({"store", "merge", "--store", "target", "mistyped"});
  CHECK(outcome.code == 1);
  CHECK(is_one_line(outcome.err));
  CHECK(has(outcome.err, "mistyped"));
  CHECK_FALSE(std::filesystem::exists(here.folder / "target"));
}
