// Tests `linkherd init`: `check` accepts the file that it writes in any repository.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/cli/run_command.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::crawler;

namespace {

std::string written(const TempCurrentFolder& here) { return linkherd::tests::read_file(here.folder / "linkherd.toml"); }

}  // namespace

TEST_CASE("init writes a configuration for the existing lists and does not overwrite it") {
  const TempCurrentFolder here;
  here.folder.write("README.md", "[a](docs/a.md)\n");
  here.folder.write("docs/a.md", "[b](b.md)\n");
  here.folder.write("docs/b.md", "");
  here.folder.write("node_modules/x/README.md", "[gone](gone.md)\n");
  here.folder.write("mkdocs.yml", "site_name: x\nsite_url: https://own.cn/docs/\n");
  const Outcome printed = run({"init", "-"});
  CHECK(printed.code == 0);
  CHECK_FALSE(std::filesystem::exists(here.folder / "linkherd.toml"));
  CHECK(run({"init", "--dry-run"}).out == printed.out);
  CHECK(has(printed.out,
            "# Without inputs, `linkherd check` reads 4 documents: README.md, docs/ (2), node_modules/ (1)\n"));
  CHECK(has(printed.out, "\"(^|/)node_modules/\""));
  CHECK(has(printed.out, "#   \"https://own.cn/docs/=docs\","));
  CHECK(has(printed.out, "# timeout = \"20s\"\n"));
  CHECK(run({"init"}).code == 0);
  CHECK(written(here) == printed.out);
  CHECK(run({"check", "--offline"}).code == 0);

  here.folder.write("linkherd.toml", "mine\n");
  const Outcome again = run({"init"});
  CHECK(again.code == 3);
  CHECK(is_one_line(again.err));
  CHECK(has(again.err, "--force"));
  CHECK(written(here) == "mine\n");
  CHECK(run({"init", "--force"}).code == 0);
  CHECK(written(here) == printed.out);
}

TEST_CASE("init takes over other link checkers' settings except secrets and unsupported ones") {
  const TempCurrentFolder here;
  here.folder.write("lychee.toml",
                    "exclude = [\"^https://a\\\\.cn\", \"(\"]\ntimeout = 7\naccept = [200, 429]\nmax_concurrency = 4\n"
                    "include_mail = true\nfallback_extensions = [\"md\"]\nbasic_auth = [\"https://a.cn me:s3cret\"]\n"
                    "header = { Authorization = \"s3cret\", Accept = \"text/html\" }\nnonsense = 1\n"
                    "github_token = \"s3cret\"\nremap = [\"https://me:s3cret@a.cn b\"]\n"
                    "[hosts.\"b.cn\"]\nconcurrency = 2\n[hosts.\"c.cn\"]\nconcurrency = 500\n");
  here.folder.write(".lycheeignore", "# ours\n^https://ignored\n");
  here.folder.write(
      "mlc_config.json",
      R"json({"ignorePatterns": [{"pattern": "^http://localhost"}, {"pattern": "(?!x)"}], "timeout": "9s", "retryCount": 5,
"replacementPatterns": [{"pattern": "^/", "replacement": "{{BASEURL}}/"}, {"pattern": "x", "replacement": "y"}],
"httpHeaders": [{"urls": ["https://d.cn"], "headers": {"Token": "s3cret", "Accept-Language": "de"}}],
"retryOn429": true, "aliveStatusCodes": [200]})json");
  here.folder.write(
      "Rakefile",
      "task :test do\n  # ignore_urls: ['never']\n  HTMLProofer.check_directory('./_site', "
      "ignore_urls: [/e\\.cn\\/x/, \"https://f.cn\"], ignore_files: [ENV['X']], swap_urls: { /a/ => 'b' })\n");
  here.folder.write(".htmlproofer.yml",
                    "ignore_urls:\n  - /g\\.cn/\n  - \"https://h.cn/\"\nignore_status_codes: [999]\n");
  here.folder.write(".github/workflows/links.yml",
                    "jobs:\n  x:\n    run: bundle exec htmlproofer --ignore-urls \"/i.cn/,https://j.cn\" ./_site\n");
  here.folder.write("list.md", "[a](list.md)\n");
  const Outcome outcome = run({"init"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  const std::string text = written(here);
  CAPTURE(text);
  for (const char* setting :
       {"\n  \"^https://a\\\\.cn\",\n", "\n  \"^https://ignored\",\n", "\n  \"^http://localhost\",\n",
        "\n  \"e\\\\.cn/x\",\n", "\n  \"^https://f\\\\.cn$\",\n", "\n  \"g\\\\.cn\",\n",
        "\n  \"^https://h\\\\.cn/$\",\n", "\n  \"i.cn\",\n", "\n  \"^https://j\\\\.cn$\",\n", "\ntimeout = 7\n",
        "\nmax_retries = 5\n", "\ninclude_mail = true\n", "\n  \"md\",\n", "\n# max_concurrency = 4\n",
        "\n#   \"Accept: text/html\",\n", "\n#   \"https://d.cn Accept-Language: de\",\n", "\n#   \"x y\",\n",
        "[hosts.\"b.cn\"]\nhost_concurrency = 2\n", "[hosts.\"c.cn\"]\n# host_concurrency = 500\n"}) {
    CHECK_MESSAGE(has(text, setting), setting);
  }
  CHECK_FALSE(has(text, "never"));
  for (const char* note :
       {"lychee.toml: accept: ", "lychee.toml: basic_auth: ", "lychee.toml: github_token: ",
        "lychee.toml: header Authorization: ", "lychee.toml: remap: ", "lychee.toml: nonsense: ",
        "lychee.toml: --exclude: ", "mlc_config.json: --exclude: ", "mlc_config.json: header Token: ",
        "mlc_config.json: timeout: the value in lychee.toml takes precedence",
        "mlc_config.json: aliveStatusCodes: ", "mlc_config.json: retryOn429: ", "Rakefile: ignore_files: ",
        "Rakefile: swap_urls: ", ".htmlproofer.yml: ignore_status_codes: "}) {
    CHECK_MESSAGE(has(text, "#   " + std::string(note)), note);
  }
  CHECK(has(outcome.err, "linkherd: lychee.toml: accept: "));
  CHECK_FALSE(has(text + outcome.out + outcome.err, "s3cret"));
  const Outcome checked = run({"check", "--offline", "list.md"});
  CAPTURE(checked.err);
  CHECK(checked.code == 0);
}

TEST_CASE("init refuses configurations that are not what their names say and writes nothing") {
  struct Row {
    const char* file;
    std::string text;
    const char* said;
  };
  const std::vector<Row> rows{
      {"lychee.toml", "exclude = [", "lychee.toml:1"},
      {"lychee.toml", "a" + std::string(1000, '.') + "b = 1", "lychee.toml:1"},
      {"lychee.toml", "exclude = [[1]]\n", "exclude is not a plain"},
      {"lychee.toml", "header = 5\n", "header must be a list"},
      {"lychee.toml", "hosts = 5\n", "hosts must be a table"},
      {"lychee.toml", std::string(2'000'000, '#'), "lychee.toml"},
      {".markdown-link-check.json", "{\"ignorePatterns\": [", ".markdown-link-check.json: it is not valid JSON"},
      {".markdown-link-check.json", std::string(100'000, '['), "it is not valid JSON"},
      {".markdown-link-check.json", "[]", "it is not a JSON object"},
      {".markdown-link-check.json", "{\"ignorePatterns\": 5}", "ignorePatterns must be a list"},
      {".markdown-link-check.json", "{\"ignorePatterns\": [5]}", "ignorePatterns must contain only objects"},
      {".markdown-link-check.json", "{\"ignorePatterns\": [{}]}", "pattern is missing"},
      {".markdown-link-check.json", "{\"timeout\": []}", "timeout is neither a string"},
      {".markdown-link-check.json", "{\"httpHeaders\": [{\"urls\": 1}]}", "httpHeaders needs"},
      {".htmlproofer.yml", std::string(2'000'000, '#'), ".htmlproofer.yml"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.file);
    CAPTURE(row.text.substr(0, 60));
    const TempCurrentFolder here;
    here.folder.write(row.file, row.text);
    const Outcome outcome = run({"init"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK_MESSAGE(has(outcome.err, row.said), outcome.err);
    CHECK_FALSE(std::filesystem::exists(here.folder / "linkherd.toml"));
  }
}

TEST_CASE("init writes a readable configuration whatever the other configurations contain") {
  for (const std::string& value :
       {std::string("'''\"\\\\n # x"), std::string("\\u0007\\u202e"), std::string("[a]"), std::string(70'000, 'x')}) {
    CAPTURE(value.substr(0, 40));
    const TempCurrentFolder here;
    here.folder.write("list.md", "[a](list.md)\n");
    here.folder.write("mlc_config.json", "{\"ignorePatterns\": [{\"pattern\": \"" + value +
                                             "\"}], \"no\\nsuch\\u0085 = 5\": 1, \"timeout\": \"" + value + "\"}");
    const Outcome outcome = run({"init"});
    if (outcome.code == 0) {
      CHECK(run({"check", "--offline", "list.md"}).code == 0);
    } else {
      CHECK(outcome.code == 3);
    }
  }
}
