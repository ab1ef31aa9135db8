// Tests that two calls have one run identity only if no difference can change the results. An option that the identity
// misses would let a run resume under other rules.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/cli/options/option_table.h"
#include "tests/crawler/cli/run_command.h"

using namespace linkherd::crawler;

namespace {

using Words = std::vector<std::string>;

std::string identity(const Words& words) {
  CLI::App app;
  CheckOptions options;
  add_options(app, commands::check, options);
  Words reversed(words.rbegin(), words.rend());  // CLI11 takes arguments in reverse order
  app.parse(reversed);
  read_ignore_files(options.selection);
  return configuration_of(options);
}

// Returns a value that differs from the default for each option that is part of the identity.
std::map<std::string, Words> other_values(const TempCurrentFolder& here) {
  const std::string cookies = here.folder.write("cookies", "a.cn\tFALSE\t/\tFALSE\t0\tname\tvalue\n").string();
  return {
      {"INPUT", {"a.md"}},
      {"--allow-private", {"--allow-private"}},
      {"--at", {"--offline", "--from-warc", "x.warc", "--at", "2024-01-01"}},
      {"--base-url", {"--base-url", "https://a.cn/"}},
      {"--basic-auth", {"--basic-auth", "^https://a.cn/ me:secret"}},
      {"--browser", {"--browser"}},
      {"--browser-for", {"--browser", "--browser-for", "^https://a\\.cn/"}},
      {"--browser-images", {"--browser", "--browser-images"}},
      {"--ca-file", {"--ca-file", "a.pem"}},
      {"--changed-since", {"--changed-since", "main"}},
      {"--client-cert", {"--client-cert", "a.pem"}},
      {"--client-key", {"--client-key", "a.pem"}},
      {"--confirm-wait", {"--confirm-wait", "1s"}},
      {"--connect-timeout", {"--connect-timeout", "1s"}},
      {"--connect-to", {"--connect-to", "a.cn:80:b.cn:80"}},
      {"--cookie-jar", {"--cookie-jar", cookies}},
      {"--depth", {"--recursive", "--depth", "1"}},
      {"--dns-server", {"--dns-server", "127.0.0.1"}},
      {"--exclude", {"--exclude", "x"}},
      {"--exclude-path", {"--exclude-path", "x"}},
      {"--fallback-extensions", {"--fallback-extensions", "htm"}},
      {"--files-from", {"--files-from", "x"}},
      {"--follow", {"--recursive", "--follow", "x"}},
      {"--from-warc", {"--offline", "--from-warc", "x.warc"}},
      {"--header", {"--header", "X-A: b"}},
      {"--header-for", {"--header-for", "^https://a.cn/ X-A: b"}},
      {"--http2", {"--http2"}},
      {"--include", {"--include", "x"}},
      {"--include-fragments", {"--include-fragments=none"}},
      {"--include-mail", {"--include-mail"}},
      {"--include-verbatim", {"--include-verbatim"}},
      {"--include-wikilinks", {"--include-wikilinks"}},
      {"--index-files", {"--index-files", "index.html"}},
      {"--input-format", {"--input-format", "text"}},
      {"--insecure", {"--insecure"}},
      {"--ipv4", {"--ipv4"}},
      {"--ipv6", {"--ipv6"}},
      {"--link-timeout", {"--link-timeout", "1s"}},
      {"--low-speed-time", {"--low-speed-time", "1s"}},
      {"--max-body", {"--max-body", "1MiB"}},
      {"--max-cache-age", {"--max-cache-age", "1h"}},
      {"--max-pages", {"--recursive", "--max-pages", "1"}},
      {"--max-redirects", {"--max-redirects", "1"}},
      {"--max-retries", {"--max-retries", "1"}},
      {"--max-retry-after", {"--max-retry-after", "1s"}},
      {"--method", {"--method", "head"}},
      {"--min-tls", {"--min-tls", "TLSv1_3"}},
      {"--no-git", {"--no-git"}},
      {"--offline", {"--offline"}},
      {"--only", {"--only", "blocked"}},
      {"--outage-share", {"--outage-share", "0.9"}},
      {"--proxy", {"--proxy", "http://127.0.0.1:1"}},
      {"--recursive", {"--recursive"}},
      {"--remap", {"--remap", "a b"}},
      {"--resolver", {"--resolver", "system"}},
      {"--retry-wait-time", {"--retry-wait-time", "9s"}},
      {"--retry-as", {"--retry-as", "off"}},
      {"--robots", {"--robots", "ignore"}},
      {"--root-dir", {"--root-dir", here.folder.path().string()}},
      {"--rule", {"--rule", "[[rule]]\nid = 'x'\nwhere = 'title'\nmark = 'x'\nreason = 'soft_404'\nhealth = 'dead'\n"}},
      {"--scheme", {"--scheme", "https"}},
      {"--shard", {"--shard", "2/3"}},
      {"--site-url", {"--site-url", "https://a.cn"}},
      {"--skip-missing", {"--skip-missing"}},
      {"--strike-interval", {"--strike-interval", "1h"}},
      {"--strikes", {"--strikes", "5"}},
      {"--timeout", {"--timeout", "1s"}},
      {"--user-agent", {"--user-agent", "x"}},
      {"--vantage", {"--vantage", "home"}},
      {"--site-api",
       {"--site-api", "[[site_api]]\nname = 'x'\npattern = 'a'\nurl = 'https://a.cn/'\nthere = { status = 401 }\n"}},
      {"--site-apis", {"--site-apis", "off"}}};
}

// These options change the speed, the end, the output or the storage of a run, but no verdict.
const std::set<std::string>& without_consequence() {
  static const std::set<std::string> names{"--accepted",
                                           "--all",
                                           "--archive-url",
                                           "--audit",
                                           "--bodies",
                                           "--bom",
                                           "--broker",
                                           "--broker-ca-file",
                                           "--broker-cert",
                                           "--broker-key",
                                           "--browser-no-sandbox",
                                           "--browser-tabs",
                                           "--changes",
                                           "--changes-only",
                                           "--cert-days",
                                           "--color",
                                           "--config",
                                           "--deadline",
                                           "--duplicates",
                                           "--fail-if-empty",
                                           "--fail-on",
                                           "--format",
                                           "--github-api",
                                           "--github-token",
                                           "--group-by",
                                           "--harvest",
                                           "--help",
                                           "--help-all",
                                           "--host-concurrency",
                                           "--host-request-interval",
                                           "--hosts",
                                           "--keep-days",
                                           "--keep-runs",
                                           "--lang",
                                           "--log-file",
                                           "--max-concurrency",
                                           "--max-deferred",
                                           "--max-relocations",
                                           "--max-stalled",
                                           "--max-store-size",
                                           "--metrics",
                                           "--no-progress",
                                           "--no-store",
                                           "--notify",
                                           "--now",
                                           "--output",
                                           "--move-rule",
                                           "--quiet",
                                           "--relocate",
                                           "--section",
                                           "--shutdown-timeout",
                                           "--store",
                                           "--suggest",
                                           "--threads",
                                           "--tracking-rules",
                                           "--verbose",
                                           "--wait-lock",
                                           "--warc-dir",
                                           "--webhook",
                                           "--webhook-format",
                                           "--webhook-secret-file"};
  return names;
}

}  // namespace

TEST_CASE("every check option is part of the run identity or is listed as irrelevant") {
  const TempCurrentFolder here;
  const std::map<std::string, Words> others = other_values(here);
  const std::string usual = identity({});
  CLI::App app;
  CheckOptions options;
  add_options(app, commands::check, options);
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = name_of(*option);
    CAPTURE(name);
    const auto other = others.find(name);
    CHECK((other != others.end()) != without_consequence().contains(name));
    if (other != others.end()) CHECK(identity(other->second) != usual);
  }
}

TEST_CASE("no secret is part of the run identity") {
  const TempCurrentFolder here;
  for (const auto& [name, words] : other_values(here)) {
    CAPTURE(name);
    CHECK_FALSE(has(identity(words), "secret"));
    CHECK_FALSE(has(identity(words), "X-A: b"));
  }
}

TEST_CASE("the rules of ignore files are part of the run identity and their layout is not") {
  const TempCurrentFolder here;
  const std::string without = identity({});
  here.folder.write(".linkherdignore", "a\\.cn\n");
  const std::string one = identity({});
  CHECK(one != without);
  here.folder.write(".linkherdignore", "# ours\n\na\\.cn\n");
  CHECK(identity({}) == one);
  here.folder.write(".lycheeignore", "b\\.cn\n");
  CHECK(identity({}) != one);
}

TEST_CASE("the run identity depends neither on how an input is spelled nor on the current folder") {
  const TempCurrentFolder here;
  here.folder.write(".git/HEAD", "ref: refs/heads/main\n");
  here.folder.write("docs/a.md", "");
  const std::string usual = identity({"docs"});
  for (const std::string& input : {std::string("docs/"), std::string("./docs"), std::string("docs/../docs//"),
                                   (std::filesystem::current_path() / "docs").string()})
    CHECK(identity({input}) == usual);
  CHECK(identity({"docs", "docs/"}) == usual);
  CHECK(identity({"docs/a.md"}) != usual);
  CHECK(identity({"https://a.cn"}) == identity({"HTTPS://A.cn:443/#top"}));
  CHECK(identity({}) == identity({"."}));
  std::filesystem::current_path("docs");
  CHECK(identity({"."}) == usual);
  CHECK(identity({}) != usual);
}
