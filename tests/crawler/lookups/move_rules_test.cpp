// Tests the built-in rules for hosts that have moved, and which rules of users are refused.
#include "crawler/lookups/move_rules.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <re2/re2.h>

#include "parser/url/url.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

std::string target_of(const MoveRuleSet& rules, std::string_view url) {
  const std::optional<parser::Url> target = rules.apply(parser::Url::parse(url).value());
  return target ? std::string(target->href()) : std::string();
}

std::string problem_of(std::string_view toml) {
  const Result<MoveRuleSet> rules = MoveRuleSet::read(toml);
  return rules.has_value() ? std::string() : rules.error().message;
}

const std::vector<std::pair<std::string, std::string>> moved{
    {"http://pypi.python.org/pypi/quill/0.4", "https://pypi.org/project/quill/"},
    {"https://www.python.org/dev/peps/pep-0008/#code", "https://peps.python.org/pep-0008/"},
    {"http://www.python.org/peps/pep-0258.html", "https://peps.python.org/pep-0258/"},
    {"https://tools.ietf.org/html/rfc9110#section-4", "https://datatracker.ietf.org/doc/html/rfc9110"},
    {"https://tools.ietf.org/id/draft-quill-ink-03.txt", "https://datatracker.ietf.org/doc/html/draft-quill-ink-03"},
    {"https://godoc.org/example.org/quill/ink", "https://pkg.go.dev/example.org/quill/ink"},
    {"https://golang.org/pkg/net/http/", "https://pkg.go.dev/net/http"},
    {"https://blog.golang.org/slices-intro", "https://go.dev/blog/slices-intro"},
    {"https://golang.org/doc/effective_go.html", "https://go.dev/doc/effective_go.html"},
    {"https://help.github.com/en/articles/about-issues", "https://docs.github.com/en/articles/about-issues"},
    {"http://quill.github.com/ink/", "https://quill.github.io/ink/"},
    {"http://quill.bitbucket.org/ink/", "https://quill.bitbucket.io/ink/"},
    {"http://quill.sourceforge.net/", "https://quill.sourceforge.io/"},
    {"http://code.google.com/p/quill/wiki/Ink", "https://code.google.com/archive/p/quill"},
    {"https://docs.microsoft.com/en-us/quill?view=1", "https://learn.microsoft.com/en-us/quill?view=1"},
    {"http://quill.readthedocs.org/en/latest/", "https://quill.readthedocs.io/en/latest/"},
    {"http://quill.rtfd.org/", "https://quill.readthedocs.io/"},
    {"http://search.cpan.org/dist/Quill-Ink/", "https://metacpan.org/dist/Quill-Ink"},
    {"http://search.cpan.org/perldoc?Quill::Ink", "https://metacpan.org/pod/Quill::Ink"},
    {"http://npmjs.org/package/@quill/ink", "https://www.npmjs.com/package/@quill/ink"},
    {"http://dx.doi.org/10.1000/182", "https://doi.org/10.1000/182"},
    {"http://xxx.lanl.gov/abs/hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"},
    {"https://travis-ci.org/quill/ink", "https://app.travis-ci.com/github/quill/ink"},
    {"https://ci.apache.org/projects/flink/flink-docs-master/",
     "https://nightlies.apache.org/flink/flink-docs-master/"},
    {"http://download.oracle.com/javase/8/docs/", "https://docs.oracle.com/javase/8/docs/"},
    {"https://pypi.org/project/quill/", ""},
    {"https://example.org/pypi.python.org/pypi/quill", ""},
    {"https://github.com/quill/ink", ""},
};

}  // namespace

TEST_CASE("move rules: the built-in rules") {
  for (const auto& move : moved) {
    CAPTURE(move.first);
    CHECK(target_of(MoveRuleSet::built_in(), move.first) == move.second);
  }
  CHECK(MoveRuleSet::built_in().rules().size() <= 30);
  for (const MoveRule& rule : MoveRuleSet::built_in().rules()) {
    CAPTURE(rule.name);
    CHECK(rule.expression->compiled().ok());
  }
}

TEST_CASE("move rules: rules of users come first") {
  MoveRuleSet rules = MoveRuleSet::built_in();
  rules.append(MoveRuleSet::read("[[move_rule]]\nname = \"own\"\npattern = '^https://pypi\\.python\\.org/(.*)'\n"
                                 "url = \"https://mirror.example.org/{1}?from={0}\"\n")
                   .value());
  CHECK(target_of(rules, "https://pypi.python.org/pypi/quill") ==
        "https://mirror.example.org/pypi/quill?from=https://pypi.python.org/pypi/quill");
  CHECK(target_of(rules, "http://dx.doi.org/10.1000/182") == "https://doi.org/10.1000/182");
}

TEST_CASE("move rules: bad rules are refused with the problem") {
  const std::string good = "[[move_rule]]\nname = \"own\"\n";
  CHECK(problem_of(good + "pattern = 'a'\nurl = \"https://b/\"\n").empty());
  for (const auto& row : std::vector<std::pair<std::string, std::string>>{
           {good + "url = \"https://b/\"", "pattern is missing"},
           {good + "pattern = 'a'", "url is missing"},
           {good + "pattern = '('\nurl = \"https://b/\"", "own"},
           {good + "pattern = ''\nurl = \"https://b/\"", "pattern is missing"},
           {good + "pattern = 'a*'\nurl = \"https://b/\"", "matches every URL"},
           {good + "pattern = 'a'\nurl = \"ftp://b/\"", "must begin with"},
           {good + "pattern = 'a'\nurl = \"https://b/{1}\"", "a group that the pattern does not have"},
           {good + "pattern = 'a'\nurl = \"https://b/\"\nother = 1", "other"},
           {good + "pattern = 'a'\nurl = \"https://" + std::string(600, 'b') + "/\"", "longer than 500 bytes"},
           {"move_rule = 1", "[[move_rule]]"}}) {
    CAPTURE(row.first);
    CHECK(problem_of(row.first).find(row.second) != std::string::npos);
  }
}
