// Tests which settings file may set what and which one wins.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "crawler/cli/command_line.h"
#include "crawler/cli/command_tree.h"
#include "tests/crawler/cli/run_command.h"

using namespace linkherd::crawler;

namespace {

// Sets the user's own configuration until it is destroyed.
class UsersSettings {
 public:
  explicit UsersSettings(const std::string& text) {
    folder_.write("linkherd/linkherd.toml", text);
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
  }
  ~UsersSettings() { setenv("XDG_CONFIG_HOME", "/nowhere", 1); }
  UsersSettings(const UsersSettings&) = delete;
  UsersSettings& operator=(const UsersSettings&) = delete;
  std::string file() const { return (folder_ / "linkherd/linkherd.toml").string(); }

 private:
  linkherd::tests::TempDir folder_;
};

// "check --timeout", for every option of every command that a discovered file may set.
std::set<std::string> settable_by_discovered_files() {
  CLI::App app;
  std::set<std::string> settable;
  for (const Command& command : add_commands(app)) {
    for (const CLI::Option* option : command.app->get_options()) {
      if (option->get_configurable()) {
        settable.insert(full_name(*command.app) + " " + name_of(*option));
      }
    }
  }
  return settable;
}

}  // namespace

TEST_CASE("every option declares whether the linkherd.toml of a clone may set it") {
  // Every line is a deliberate decision. The list must not contain paths, programs, addresses or secrets. It must not
  // contain options that rewrite links, or that make a run less safe or less polite.
  const std::set<std::string> decided{"check --accepted",
                                      "check --cert-days",
                                      "check --color",
                                      "check --confirm-wait",
                                      "check --connect-timeout",
                                      "check --deadline",
                                      "check --duplicates",
                                      "check --exclude",
                                      "check --exclude-path",
                                      "check --fail-if-empty",
                                      "check --fail-on",
                                      "check --fallback-extensions",
                                      "check --format",
                                      "check --group-by",
                                      "check --harvest",
                                      "check --hosts",
                                      "check --include-fragments",
                                      "check --include-mail",
                                      "check --include-verbatim",
                                      "check --include-wikilinks",
                                      "check --index-files",
                                      "check --input-format",
                                      "check --lang",
                                      "check --link-timeout",
                                      "check --low-speed-time",
                                      "check --max-cache-age",
                                      "check --max-deferred",
                                      "check --max-redirects",
                                      "check --max-retries",
                                      "check --max-retry-after",
                                      "check --method",
                                      "check --move-rule",
                                      "check --no-store",
                                      "check --outage-share",
                                      "check --retry-as",
                                      "check --rule",
                                      "check --scheme",
                                      "check --site-url",
                                      "check --skip-missing",
                                      "check --strike-interval",
                                      "check --strikes",
                                      "check --timeout",
                                      "check --site-api",
                                      "check --site-apis",
                                      "history --format",
                                      "links --exclude",
                                      "links --exclude-path",
                                      "links --fail-if-empty",
                                      "links --format",
                                      "links --include-verbatim",
                                      "links --include-wikilinks",
                                      "links --input-format",
                                      "links --scheme",
                                      "links --skip-missing",
                                      "export --format",
                                      "metadata --format",
                                      "report --accepted",
                                      "report --cert-days",
                                      "report --color",
                                      "report --duplicates",
                                      "report --fail-on",
                                      "report --format",
                                      "report --group-by",
                                      "report --lang",
                                      "report --max-deferred",
                                      "rules --format",
                                      "rules --move-rule",
                                      "rules --rule",
                                      "rules --site-api",
                                      "store merge --format",
                                      "runs --format",
                                      "broker status --format",
                                      "store info --format",
                                      "url --format",
                                      "store verify --format"};
  std::set<std::string> settable = settable_by_discovered_files();
  std::erase_if(settable,
                [](const std::string& option) { return option.ends_with(" --verbose"); });  // every command has it
  // These commands accept the options that they pass to a check.
  const std::set<std::string> parts_of_check{"broker collect", "broker plan", "broker worker", "fix"};
  std::erase_if(settable, [&](const std::string& option) {
    const std::size_t end = option.find(" --");
    const std::string command = option.substr(0, end);
    return parts_of_check.contains(command) && decided.contains("check" + option.substr(end));
  });
  for (const std::string& option : settable) CHECK_MESSAGE(decided.contains(option), option);
  for (const std::string& option : decided) CHECK_MESSAGE(settable.contains(option), option);
}

TEST_CASE("a discovered linkherd.toml can set nothing harmful") {
  const TempCurrentFolder here;
  here.folder.write("docs/list.md", "[a](there.md)\n");
  here.folder.write("docs/there.md", "");
  here.folder.write("precious", "mine");
  std::filesystem::current_path(here.folder / "docs");
  for (const char* setting : {"output = \"../precious\"",
                              "log_file = \"../precious\"",
                              "store = \"../store\"",
                              "allow_private = true",
                              "allow_private = [\"10.0.0.0/8\"]",
                              "connect_to = [\"*:80::8080\"]",
                              "proxy = \"http://127.0.0.1:1\"",
                              "insecure = true",
                              "remap = [\"a b\"]",
                              "header = [\"X: y\"]",
                              "header_for = [\"x X: y\"]",
                              "basic_auth = [\"x a:b\"]",
                              "cookie_jar = \"../precious\"",
                              "client_cert = \"../precious\"",
                              "ca_file = \"../precious\"",
                              "tracking_rules = \"../precious\"",
                              "root_dir = \"/\"",
                              "files_from = \"../precious\"",
                              "dns_server = [\"127.0.0.1\"]",
                              "resolver = \"system\"",
                              "robots = \"ignore\"",
                              "user_agent = \"x\"",
                              "max_concurrency = 100000",
                              "host_concurrency = 1000",
                              "host_request_interval = 0",
                              "include = [\".\"]",
                              "now = \"2026-01-01T00:00:00Z\"",
                              "allow-private = true"}) {
    CAPTURE(setting);
    here.folder.write("docs/linkherd.toml", "timeout = \"5s\"\n" + std::string(setting) + "\n");
    for (const char* command : {"check", "links"}) {
      const Outcome outcome = run({command, "list.md"});
      CHECK(outcome.code == 3);
      CHECK(is_one_line(outcome.err));
      CHECK(has(outcome.err, "linkherd.toml:2: "));
      CHECK(has(outcome.err, "--config linkherd.toml"));
    }
  }
  CHECK(linkherd::tests::read_file(here.folder / "precious") == "mine");
  CHECK_FALSE(std::filesystem::exists(here.folder / "store"));
  // A file named on the command line is trusted.
  here.folder.write("docs/linkherd.toml", "output = \"../precious\"\n");
  CHECK(run({"check", "--no-store", "--config", "linkherd.toml", "list.md"}).code == 0);
  CHECK(linkherd::tests::read_file(here.folder / "precious") != "mine");
}

TEST_CASE("a discovered linkherd.toml can name only site folders below its own") {
  const TempCurrentFolder here;
  here.folder.write("repo/linkherd.toml", "");
  here.folder.write("repo/docs/list.md", "[a](https://own.cn/b/)\n");
  here.folder.write("repo/docs/b.md", "");
  std::filesystem::create_directory(here.folder / "repo/.git");
  std::filesystem::create_symlink("..", here.folder / "repo/up");
  std::filesystem::current_path(here.folder / "repo/docs");
  for (const auto& [folder, code] : {std::pair("docs", 0), std::pair(".", 2), std::pair("..", 3), std::pair("up", 3),
                                     std::pair("/", 3), std::pair("../repo/docs", 0)}) {
    CAPTURE(folder);
    here.folder.write("repo/linkherd.toml", "site_url = [\"https://own.cn=" + std::string(folder) + "\"]\n");
    const Outcome outcome = run({"check", "--offline", "list.md"});
    CHECK(outcome.code == code);
    if (code == 3) CHECK(has(outcome.err, "linkherd.toml:1: "));
  }
}

TEST_CASE("a discovered linkherd.toml can slow requests to hosts but not speed them up") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  struct Row {
    const char* setting;
    int code;
  };
  for (const Row& row : {Row{"host_concurrency = 1", 0}, Row{"host_concurrency = 6", 0}, Row{"host_concurrency = 7", 3},
                         Row{"host_request_interval = \"1s\"", 0}, Row{"host_request_interval = \"100ms\"", 0},
                         Row{"host_request_interval = \"99ms\"", 3}}) {
    CAPTURE(row.setting);
    here.folder.write("linkherd.toml", "[hosts.\"a.cn\"]\n" + std::string(row.setting) + "\n");
    const Outcome outcome = run({"check", "--no-store", "list.md"});
    CHECK(outcome.code == row.code);
    if (row.code == 3) CHECK(has(outcome.err, "linkherd.toml:2: "));
    CHECK(run({"check", "--no-store", "--config", "linkherd.toml", "list.md"}).code == 0);
  }
  here.folder.write("linkherd.toml", "hosts = \"a.cn\\nhost_concurrency\\n900\"\n");
  CHECK(run({"check", "--no-store", "list.md"}).code == 3);
}

TEST_CASE("the user's file may set anything and later files and the command line override it") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](https://a.cn/) [b](https://b.cn/) [c](https://c.cn/)\n");
  const UsersSettings own("exclude = [\"a.cn\", \"b.cn\"]\noutput = \"out.txt\"\nformat = \"jsonl\"\noffline = true\n");
  const auto report = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"check", "--no-store"});
    words.emplace_back("list.md");
    std::filesystem::remove(here.folder / "out.txt");
    const Outcome outcome = run(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    return linkherd::tests::read_file(here.folder / "out.txt");
  };
  const auto excluded = [](const std::string& text, const std::string& pattern) {
    return has(text, "--exclude matches: " + pattern);
  };
  const std::string users = report({});
  CHECK(users.starts_with("{"));
  CHECK(excluded(users, "a.cn"));
  CHECK(excluded(users, "b.cn"));
  here.folder.write("linkherd.toml", "exclude = \"c.cn\"\n");  // replaces the user's list
  const std::string discovered = report({});
  CHECK_FALSE(excluded(discovered, "a.cn"));
  CHECK(excluded(discovered, "c.cn"));
  here.folder.write("named.toml", "exclude = \"b.cn\"\nformat = \"text\"\nheader = [\"X: y\"]\n");
  const std::string named = report({"--config", "named.toml", "--all"});
  CHECK_FALSE(named.starts_with("{"));
  CHECK(excluded(named, "b.cn"));
  CHECK_FALSE(excluded(named, "c.cn"));
  const std::string reported = report({"--exclude", "a.cn"});
  CHECK(excluded(reported, "a.cn"));
  CHECK_FALSE(excluded(reported, "c.cn"));
}

TEST_CASE("all configuration errors are reported at once in line order") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  here.folder.write("own.toml",
                    "tiemout = \"3s\"\n"
                    "accept = [200, 429]\n"
                    "format = \"jsn\"\n"
                    "exclude = [\"fine\", \"(\",\n"
                    "  \"b\", \"[\"]\n"
                    "help = true\n"
                    "config = \"other.toml\"\n"
                    "max_redirects = \"many\"\n"
                    "fail_on = [\"dead\", \"dad\"]\n"
                    "[hosts.\"a.cn\"]\n"
                    "concurrency = 3\n"
                    "host_concurrency = \"x\"\n"
                    "[[accepted]]\n"
                    "url = \"x\"\n"
                    "[[rule]]\n"
                    "id = \"x\"\n");
  const Outcome outcome = run({"check", "--no-store", "--config", "own.toml", "list.md"});
  CHECK(outcome.code == 3);
  CHECK(outcome.out.empty());
  std::istringstream lines(outcome.err);
  std::string line;
  for (const char* said :
       {":1: there is no setting tiemout; did you mean timeout?",
        ":2: accept is not a setting of linkherd:", ":3: format: jsn is not one of text, json,",
        ":4: exclude: the pattern ( cannot", ":5: exclude: the pattern [ cannot", ":6: there is no setting help",
        ":7: there is no setting config", ":8: max_redirects: many is not a whole number from 0 to 100",
        ":9: fail_on: dad is not one of", ":11: concurrency is not a host setting of linkherd: use host_concurrency",
        ":12: hosts.\"a.cn\": host_concurrency must be a number", ":13: an [[accepted]] table needs a reason",
        ":15: rule x: "}) {
    REQUIRE(std::getline(lines, line));
    CHECK_MESSAGE(line.starts_with("linkherd: own.toml" + std::string(said)), line);
  }
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("only the first of very many configuration errors are reported") {
  const TempCurrentFolder here;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "wrong_" + std::to_string(i) + " = 1\n";
  here.folder.write("linkherd.toml", text);
  const Outcome outcome = run({"links", "-"});
  CHECK(outcome.code == 3);
  CHECK(std::ranges::count(outcome.err, '\n') == 101);
  CHECK(outcome.err.ends_with("linkherd: and 900 more\n"));
}

TEST_CASE("lychee settings are accepted or refused with a replacement") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  for (const char* setting : {"verbose = \"info\"",
                              "verbose = \"error\"",
                              "verbose = \"trace\"",
                              "verbose = 2",
                              "verbose = true",
                              "no_progress = true",
                              "max_cache_age = \"2d\"",
                              "threads = 2",
                              "timeout = 20",
                              "retry_wait_time = 2",
                              "user_agent = \"curl\"",
                              "scheme = [\"https\"]",
                              "method = \"get\"",
                              "header = { accept = \"text/html\" }",
                              "[header]\naccept = \"text/html\"",
                              "header = [\"accept: text/html\"]",
                              "remap = [\"a b\"]",
                              "base_url = \"https://a.cn\"",
                              "basic_auth = [\"https://a.cn u:p\"]",
                              "include_fragments = true",
                              "include_fragments = \"none\"",
                              "include_fragments = \"text-only\"",
                              "insecure = false",
                              "offline = true",
                              "suggest = true"}) {
    CAPTURE(setting);
    here.folder.write("own.toml", setting);
    const Outcome outcome = run({"check", "--no-store", "--offline", "--config", "own.toml", "list.md"});
    CHECK_MESSAGE(outcome.code == 0, outcome.err);
  }
  struct Row {
    const char* setting;
    const char* instead;
  };
  for (const Row& row : {Row{"cache = true", "--no-store"},
                         Row{"accept = [200]", "--fail-on"},
                         Row{"exclude_all_private = true", "--allow-private"},
                         Row{"require_https = true", "--scheme https"},
                         Row{"headers = []", "use --header"},
                         Row{"base = \"x\"", "--base-url"},
                         Row{"glob_ignore_case = true", "[Rr]"},
                         Row{"extensions = [\"md\"]", "--exclude-path"},
                         Row{"hidden = true", "name them"},
                         Row{"no_ignore = true", "--no-git"},
                         Row{"mode = \"emoji\"", "--color"},
                         Row{"archive = \"wayback\"", "--suggest"},
                         Row{"preprocess = \"x\"", "linkherd check -"},
                         Row{"dump = true", "linkherd links"},
                         Row{"exclude_mail = true", "--include-mail"},
                         Row{"format = \"compact\"", "use text, which is just as short"},
                         Row{"verbose = \"loud\"", "nor one of error, warn, info, debug and trace"},
                         Row{"[hosts.\"a.cn\"]\nconcurrency = 2", "host_concurrency"},
                         Row{"[hosts.\"a.cn\"]\nrequest_interval = \"1s\"", "host_request_interval"},
                         Row{"[hosts.\"a.cn\".headers]\na = \"b\"", "header_for"}}) {
    CAPTURE(row.setting);
    here.folder.write("linkherd.toml", row.setting);
    const Outcome outcome = run({"check", "--no-store", "--offline", "list.md"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK_MESSAGE(has(outcome.err, row.instead), outcome.err);
    CHECK_FALSE(has(outcome.err, "secret"));
  }
}

TEST_CASE("the configuration of a repository is found from any folder inside it") {
  const TempCurrentFolder here;
  std::filesystem::create_directories(here.folder / "repository/.git");
  here.folder.write("repository/docs/deep/list.md", "`https://code.cn/`\n");
  here.folder.write("repository/linkherd.toml", "include_verbatim = true\n");
  std::filesystem::current_path(here.folder / "repository/docs/deep");
  const Outcome found = run({"links", "-v", "list.md"});
  CHECK(has(found.out, "code.cn"));
  CHECK(has(found.err, "reading settings from ../../linkherd.toml"));
  here.folder.write("repository/linkherd.toml", "output = \"x\"\n");
  CHECK(has(run({"check", "list.md"}).err, "../../linkherd.toml:1: output cannot be set"));
  here.folder.write("repository/docs/deep/linkherd.toml",
                    "include_verbatim = false\n");  // only the nearest file is used
  CHECK_FALSE(has(run({"links", "list.md"}).out, "code.cn"));
  std::filesystem::remove("linkherd.toml");
  here.folder.write("repository/linkherd.toml", "");
  CHECK(run({"accept", "https://a.cn/", "--reason", "known", "--until", "2099-01-01"}).code == 0);
  CHECK(has(linkherd::tests::read_file(here.folder / "repository/linkherd.toml"), "https://a.cn/"));
}

TEST_CASE("host settings of all files are merged and the later file wins for each setting") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  const UsersSettings own("[hosts.\"a.cn\"]\nhost_concurrency = 0\n");
  here.folder.write("linkherd.toml", "[hosts.\"b.cn\"]\nhost_concurrency = 2\n");
  const Outcome outcome = run({"check", "--no-store", "list.md"});
  CHECK(outcome.code == 3);  // the user's file is read as well
  CHECK(has(outcome.err, own.file() + ":"));
}

TEST_CASE("verbose output names the settings files that were read") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  here.folder.write("linkherd.toml", "timeout = \"5s\"\n");
  const UsersSettings own("color = \"never\"\n");
  const Outcome talkative = run({"check", "--no-store", "-v", "list.md"});
  const std::size_t users = talkative.err.find("reading settings from " + own.file());
  const std::size_t discovered = talkative.err.find("reading settings from linkherd.toml");
  CHECK(users != std::string::npos);
  CHECK(discovered != std::string::npos);
  CHECK(users < discovered);
  CHECK_FALSE(has(run({"check", "--no-store", "list.md"}).err, "reading settings"));
}

// CLI11 2.4 counts flags with a number as given, so that --verbose would be 1 everywhere and files would not count.
TEST_CASE("a configured verbose counts, and only then output is verbose") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  struct Row {
    std::string setting;
    bool is_verbose;
  };
  for (const Row& row :
       {Row{"", false}, Row{"verbose = 0\n", false}, Row{"verbose = \"warn\"\n", false}, Row{"verbose = 1\n", true},
        Row{"verbose = 2\n", true}, Row{"verbose = true\n", true}, Row{"verbose = \"info\"\n", true}}) {
    CAPTURE(row.setting);
    here.folder.write("linkherd.toml", row.setting);
    const Outcome outcome = run({"check", "--no-store", "list.md"});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.err, "alive       list.md (ok)") == row.is_verbose);
  }
}

TEST_CASE("a configuration that is huge or no regular file gives one clear line") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](list.md)\n");
  const auto refused = [&](const std::vector<std::string>& words) {
    const Outcome outcome = run(words);
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "linkherd.toml"));
    std::filesystem::remove_all(here.folder / "linkherd.toml");
  };
  const std::string file = (here.folder / "linkherd.toml").string();
  mkfifo(file.c_str(), 0600);
  refused({"links", "list.md"});
  mkfifo(file.c_str(), 0600);
  refused({"links", "--config", "linkherd.toml", "list.md"});
  std::filesystem::create_symlink("/dev/zero", file);
  refused({"links", "list.md"});
  std::filesystem::create_directory(file);
  refused({"links", "list.md"});
  here.folder.write("linkherd.toml", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);
  refused({"links", "list.md"});
  const UsersSettings own("timeout = ");
  CHECK(run({"links", "list.md"}).code == 3);
  CHECK(has(run({"links", "list.md"}).err, own.file() + ":1"));
}

TEST_CASE("linkherd.toml can add page rules and errors name their line") {
  const TempCurrentFolder here;
  const std::string good =
      "[[rule]]\nid = \"soft_404:forum\"\nsite = \"forum.cn\"\nwhere = \"title\"\n"
      "mark = \"Topic not found\"\nhealth = \"dead\"\nreason = \"soft_404\"\n";
  here.folder.write("linkherd.toml", good);
  const Outcome shown = run({"rules", "--format", "jsonl"});
  CAPTURE(shown.err);
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "\"id\":\"wall:cloudflare\""));
  const std::size_t own = shown.out.find("\"id\":\"soft_404:forum\"");
  CHECK(own != std::string::npos);
  CHECK(shown.out.find("\"id\":\"wall:", own) == std::string::npos);  // the user's rules come after all built-in ones
  CHECK(has(run({"rules"}).out, "(your own)"));

  struct Row {
    const char* rule;
    const char* complaint;
  };
  for (const Row& row :
       {Row{"id = \"x\"\nwhere = \"title\"\nreason = \"soft_404\"", "either mark or pattern"},
        Row{"id = \"x\"\nwhere = \"title\"\npattern = \"(\"\nreason = \"r\"", "cannot be used"},
        Row{"id = \"x\"\nwhere = \"title\"\npattern = \"a*\"\nreason = \"r\"", "matches every page"},
        Row{"id = \"x\"\nwhere = \"text\"\npattern = \"((a{99}){99}){99}\"\nreason = \"r\"", "cannot be used"},
        Row{"id = \"x\"\nwhere = \"nowhere\"\nmark = \"a\"\nreason = \"r\"", "where must be"},
        Row{"id = \"X Y\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"", "id must consist of"},
        Row{"id = \"x\"\nwhere = \"header\"\nmark = \"a\"\nreason = \"r\"", "name: text"},
        Row{"id = \"x\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"\nhealth = \"alive\"", "health must be"},
        Row{"id = \"x\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"\nconfidence = 2", "confidence must be"},
        Row{"id = \"x\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"\nhealth = \"dead\"\nconfidence = 0.8",
            "suspect"},
        Row{"id = \"x\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"\nhealth = \"suspect\"\nconfidence = 0.9",
            "dead"},
        Row{"id = \"x\"\nwhere = \"title\"\nmark = \"a\"\nreason = \"r\"\nmarks = 1", "not a valid key"}}) {
    CAPTURE(row.rule);
    here.folder.write("linkherd.toml", good + "[[rule]]\n" + row.rule + "\n");
    const Outcome outcome = run({"check", "--no-store", "-"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "linkherd.toml:8: "));
    CHECK(has(outcome.err, row.complaint));
  }
  here.folder.write("linkherd.toml", "rule = \"x\"\n");
  CHECK(run({"rules"}).code == 3);
}

TEST_CASE("linkherd.toml can add site APIs and errors name their line") {
  const TempCurrentFolder here;
  const std::string good =
      "[[site_api]]\nname = \"forum\"\nsite = \"forum.cn\"\npattern = '/topic/(\\d+)'\n"
      "url = \"https://forum.cn/api/{1}\"\nthere = { status = 200, \"/id\" = \"{1}\" }\n"
      "headers = { referer = \"https://forum.cn/\" }\ntitle = \"/title :: h1\"\n";
  here.folder.write("linkherd.toml", good);
  const Outcome shown = run({"rules", "--format", "jsonl"});
  CAPTURE(shown.err);
  CHECK(shown.code == 0);
  const std::size_t own = shown.out.find("\"id\":\"site_api:forum\"");
  const std::size_t zhihu = shown.out.find("\"id\":\"site_api:zhihu_article\"");
  REQUIRE(own != std::string::npos);
  REQUIRE(zhihu != std::string::npos);
  CHECK(own < zhihu);  // used instead of the built-in one
  CHECK(has(run({"rules"}).out, "https://forum.cn/api/{1}  (your own)"));
  CHECK(has(run({"rules", "--format", "json"}).out, "https://www.zhihu.com/tardis/zm/art/{1}"));

  const std::string start = "name = \"x\"\n";
  const std::string address = start + "pattern = '/t/(\\d+)'\nurl = \"https://a.cn/{1}\"\n";
  const std::string whole = address + "there = { status = 200, text = \"yes\" }\n";
  for (const auto& [table, complaint] : std::vector<std::pair<std::string, const char*>>{
           {"name = \"X Y\"", "name must consist of"},
           {start + "there = { status = 401 }", "either pattern and url"},
           {whole + "oembed = true", "either pattern and url"},
           {start + "pattern = '('\nurl = \"https://a.cn/\"", "cannot be used"},
           {start + "pattern = 'a*'\nurl = \"https://a.cn/\"", "matches every URL"},
           {start + "pattern = 'a'\nurl = \"ftp://a.cn/\"", "https:// or http://"},
           {start + "pattern = 'a'\nurl = \"https://a.cn/{1}\"", "the pattern has 0"},
           {start + "pattern = 'a'\nurl = \"https://a.cn/{\"", "without a matching }"},
           {start + "pattern = 'a'\nurl = \"https://a cn/\"", "not a valid URL"},
           {address, "the key there is missing"},
           {address + "there = 200", "there must be an array of tables"},
           {address + "there = { text = \"yes\" }", "there needs a status"},
           {address + "there = { status = 200 }", "in addition to status"},
           {address + "there = { status = \"200\" }", "status must contain numbers"},
           {address + "there = { status = 200, code = 1 }", "JSON pointers"},
           {address + "there = { status = 200, \"/code\" = 1.5 }", "must be a string, a number"},
           {address + "there = { status = 200, \"/id\" = \"{2}\" }", "the pattern has 1"},
           {whole + "gone = { status = 404 }", "in addition to status"},
           {whole + "headers = { Cookie = \"a=b\" }", "not Cookie"},
           {whole + "headers = { Authorization = \"x\" }", "not Authorization"},
           {whole + "headers = { User-Agent = \"Mozilla\" }", "not User-Agent"},
           {whole + "headers = { Referer = \"a\\r\\nCookie: b\" }", "control character"},
           {whole + "title = \"title\"", "title must be a JSON pointer"},
           {whole + "dates = \"soon\"", "dates must be"},
           {whole + "date_confidence = 0.9", "at most 0.7"},
           {whole + "same = { id = \"{1}\" }", "same takes JSON pointers"},
           {whole + "titles = \"/a\"", "not a valid key"}}) {
    CAPTURE(table);
    here.folder.write("linkherd.toml", good + "[[site_api]]\n" + table + "\n");
    const Outcome outcome = run({"check", "--no-store", "-"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "linkherd.toml:9: "));
    CHECK(has(outcome.err, complaint));
  }
  here.folder.write("linkherd.toml", "site_api = \"x\"\n");
  CHECK(run({"rules"}).code == 3);
}

TEST_CASE("linkherd.toml can add move rules and errors name their line") {
  const TempCurrentFolder here;
  const std::string good =
      "[[move_rule]]\nname = \"library\"\npattern = '^https://old\\.cn/(\\w+)'\nurl = \"https://new.cn/{1}\"\n";
  here.folder.write("linkherd.toml", good);
  const Outcome shown = run({"rules", "--format", "jsonl"});
  CAPTURE(shown.err);
  CHECK(shown.code == 0);
  const std::size_t own = shown.out.find("\"id\":\"move_rule:library\"");
  const std::size_t pypi = shown.out.find("\"id\":\"move_rule:pypi\"");
  REQUIRE(own != std::string::npos);
  REQUIRE(pypi != std::string::npos);
  CHECK(own < pypi);  // used instead of the built-in one
  CHECK(has(run({"rules"}).out, "may have moved to https://new.cn/{1}  (your own)"));
  CHECK(has(run({"rules", "--format", "json"}).out, "https://new.cn/{1}"));
  CHECK(run({"check", "--no-store", "--relocate", "-"}).code == 0);

  const std::string start = "name = \"x\"\n";
  for (const auto& [table, complaint] : std::vector<std::pair<std::string, const char*>>{
           {"name = \"X Y\"", "name must consist of"},
           {start, "the key pattern is missing"},
           {start + "pattern = 'a'", "the key url is missing"},
           {start + "pattern = '('\nurl = \"https://a.cn/\"", "cannot be used"},
           {start + "pattern = 'a*'\nurl = \"https://a.cn/\"", "matches every URL"},
           {start + "pattern = 'a'\nurl = \"ftp://a.cn/\"", "https:// or http://"},
           {start + "pattern = 'a'\nurl = \"https://a.cn/{1}\"", "a group that the pattern does not have"},
           {start + "pattern = 'a'\nurl = \"https://a.cn/\"\nhost = \"a\"", "not a valid key"}}) {
    CAPTURE(table);
    here.folder.write("linkherd.toml", good + "[[move_rule]]\n" + table + "\n");
    const Outcome outcome = run({"check", "--no-store", "-"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "linkherd.toml:5: "));
    CHECK(has(outcome.err, complaint));
  }
  here.folder.write("linkherd.toml", "move_rule = \"x\"\n");
  CHECK(run({"rules"}).code == 3);
}

TEST_CASE("accepted failures in linkherd.toml are validated and errors name their line") {
  const TempCurrentFolder here;
  const std::string good = "[[accepted]]\nurl = \"https://a.cn/\"\nreason = \"known\"\nuntil = 2030-01-31\n";
  here.folder.write("linkherd.toml", good + "[[accepted]]\npattern = '^https://b\\.cn/'\nreason = \"known\"\n" +
                                         "until = \"2030-01-31\"\nby = \"Maria\"\n");
  CHECK(run({"check", "--no-store", "-"}).code == 0);
  for (const char* table :
       {"reason = \"x\"\nuntil = 2030-01-31", "url = \"https://b.cn/\"\nuntil = 2030-01-31",
        "url = \"https://b.cn/\"\nreason = \"x\"", "url = \"https://b.cn/\"\nreason = \"x\"\nuntil = \"2030-02-31\"",
        "url = \"https://b.cn/\"\nreason = \"x\"\nuntil = \"soon\"",
        "url = \"https://b.cn/\"\npattern = \"b\"\nreason = \"x\"\nuntil = 2030-01-31",
        "pattern = \"(\"\nreason = \"x\"\nuntil = 2030-01-31", "url = 1\nreason = \"x\"\nuntil = 2030-01-31",
        "url = \"https://b.cn/\"\nreason = \"x\"\nuntil = 2030-01-31\nhealth = \"alive\""}) {
    CAPTURE(table);
    here.folder.write("linkherd.toml", good + "[[accepted]]\n" + table + "\n");
    const Outcome outcome = run({"check", "--no-store", "-"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, "linkherd.toml:5: "));
  }
}

TEST_CASE("a discovered linkherd.toml cannot add rules that hide dead links") {
  const TempCurrentFolder here;
  here.folder.write(
      "linkherd.toml",
      "[[rule]]\nid = \"x\"\nwhere = \"header\"\nmark = \"content-type: text\"\nreason = \"challenge\"\n");
  const Outcome refused = run({"rules"});
  CHECK(refused.code == 3);
  CHECK(has(refused.err, "linkherd.toml:1: "));
  CHECK(has(refused.err, "--config linkherd.toml"));
  CHECK(run({"rules", "--config", "linkherd.toml"}).code == 0);
}
