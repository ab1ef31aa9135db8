#include <doctest/doctest.h>

#include "tests/crawler/cli/run_command.h"

using namespace linkherd::crawler;

TEST_CASE("url prints which rules made each form and which errors were tolerated") {
  const Outcome outcome = run({"url", "http:\\\\www.知乎.中国/a/?utm_source=x#f"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, R"("untracked":["fragment","tracking_parameters"])"));
  CHECK(has(outcome.out, R"("unicode_host":"www.知乎.中国")"));
  CHECK(has(outcome.out, R"("surt":"xn--fiqs8s,xn--djqu72h,www)/a/?utm_source=x")"));
  CHECK(has(outcome.out, R"("notes":["backslash","missing_slashes","non_ascii_host"])"));
  CHECK(has(run({"url", "https://pаypal.com/"}).out, R"("mixed_scripts":true)"));
  CHECK(has(run({"url", "https://link.zhihu.com/?target=https%3A//a.cn/"}).out,
            R"("redirector_target":"https://a.cn/")"));
}

TEST_CASE("url prints the same facts in text format") {
  const Outcome text = run({"url", "--format", "text", "https://pаypal.com/?utm_a=1", "no url"});
  CHECK(text.code == 2);
  CHECK(has(text.out, "(tracking_parameters)"));
  CHECK(has(text.out, "several scripts"));
  CHECK(has(text.out, "error"));
  CHECK(run({"url", "--format", "json", "https://a.cn/", "https://b.cn/"}).out.starts_with("[{"));
}

TEST_CASE("tracking rules of a file extend the built-in ones and bad rules are named") {
  const TempCurrentFolder here;
  here.folder.write("rules.json",
                    R"({"providers": {"g": {"urlPattern": ".*", "rules": ["continueFlag", "a(?=b)c"]}}})");
  const Outcome outcome = run({"url", "--tracking-rules", "rules.json", "https://a.cn/?continueFlag=1&utm_a=2"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, R"("untracked":"https://a.cn/")"));
  CHECK(has(outcome.err, "a(?=b)c"));
  CHECK(run({"url", "-q", "--tracking-rules", "rules.json", "https://a.cn/"}).err.empty());
  here.folder.write("list.md", "[a](https://a.cn/)\n");
  here.folder.write("bad.json", "{");
  const std::vector<std::vector<std::string>> commands = {
      {"url", "https://a.cn/"}, {"check", "--no-store", "list.md"}, {"report"}};
  for (const std::string file : {"bad.json", "missing.json", "."}) {
    for (std::vector<std::string> words : commands) {
      words.insert(words.end(), {"--tracking-rules", file});
      CAPTURE(words);
      const Outcome refused = run(words);
      CHECK(refused.code == 3);
      CHECK(is_one_line(refused.err));
      CHECK(has(refused.err, file));
    }
  }
}
