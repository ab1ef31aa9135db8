#include "crawler/sources/local_verdict.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/sources/generators/generator_rules.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const FoundFile regular_file{.type = std::filesystem::file_type::regular};
const FoundFile folder{.type = std::filesystem::file_type::directory};

// "dead file_not_found: a.md does not exist".
std::string evaluated(const LinkFacts& facts) {
  const storage::Verdict verdict = evaluate(facts);
  return std::string(enum_name(storage::health_names, verdict.health)) + " " + verdict.reason + ": " + verdict.evidence;
}

}  // namespace

TEST_CASE("the facts of a link to a file determine its verdict") {
  struct Row {
    LinkFacts facts;
    MissingFact missing;
    std::string verdict;
  };
  const FoundFile unreadable{.error = std::make_error_code(std::errc::permission_denied)};
  const FoundFile absent_file{.type = std::filesystem::file_type::regular, .absent = true};
  using enum MissingFact;
  const std::vector<Row> rows{
      {{.name = "a.md", .found = regular_file}, none, "alive ok: a.md exists"},
      {{.name = "a.md", .found = regular_file, .fragment = "x"}, anchor, "alive ok: a.md exists"},
      {{.name = "a.md", .found = absent_file, .fragment = "x"},
       none,
       "alive ok: git tracks a.md, but it is not in this working tree"},
      {{.name = "a.md"}, reason_for_no_file, "dead file_not_found: a.md does not exist"},
      {{.name = "a.md", .hint = "; did you mean b.md?"},
       reason_for_no_file,
       "dead file_not_found: a.md does not exist; did you mean b.md?"},
      {{.name = "a.md", .cause = "removes a.md"},
       reason_for_no_file,
       "dead file_not_found: broken by this change, which removes a.md"},
      {{.name = "a.md", .found = {.outside = true}},
       none,
       "skipped outside_root: a.md is outside the folder or repository of the document"},
      {{.name = "a.md", .found = unreadable}, none, "skipped relative_link: a.md cannot be read: Permission denied"},
      {{.name = "a.md", .found = {.absent = true}},
       none,
       "skipped relative_link: a.md is in a submodule that is not checked out: run `git submodule update --init`"},
      {{.name = "a.md", .doubt = FileDoubt::other_machine, .detail = "host"},
       none,
       "skipped unsupported_scheme: a file on another machine, host"},
      {{.name = "a.md", .doubt = FileDoubt::other_component, .detail = "unknown component"},
       none,
       "skipped relative_link: unknown component"},
      {{.name = "a", .found = regular_file, .doubt = FileDoubt::only_source, .detail = "a.md"},
       none,
       "suspect file_not_found: a does not exist, but a.md does: only a site generator creates a page with that name "
       "from it"},
      {{.name = "a.md", .doubt = FileDoubt::unknown_root},
       none,
       "skipped relative_link: relative to the root of a site: use --root-dir or --base-url"},
      {{.name = "a", .found = folder, .doubt = FileDoubt::no_index_page},
       none,
       "suspect file_not_found: a has no index page; other folders of the site have one"},
      {{.name = "a.md", .doubt = FileDoubt::of_template},
       none,
       "skipped relative_link: the page is a template: its links are relative to the generated pages"},
      {{.name = "a.md", .found = regular_file, .doubt = FileDoubt::of_template, .fragment = "x"},
       none,
       "alive ok: a.md exists; the anchors of a template are unknown"},
      {{.name = "a.md", .doubt = FileDoubt::maybe_reference},
       none,
       "skipped relative_link: a.md is a cross-reference that Sphinx resolves, not a file"},
      {{.name = "a.md", .doubt = FileDoubt::of_stylesheet},
       reason_for_no_file,
       "suspect file_not_found: a.md does not exist; the folder of the stylesheet in the generated site is unknown"},
      {{.name = "a.md", .doubt = FileDoubt::maybe_built},
       reason_for_no_file,
       "suspect file_not_found: a.md does not exist; the site generator may create it"},
      {{.name = "a.md", .doubt = FileDoubt::maybe_built, .cause = "removes a.md"},
       reason_for_no_file,
       "dead file_not_found: broken by this change, which removes a.md"},
  };
  for (const Row& row : rows) {
    CHECK(evaluated(row.facts) == row.verdict);
    CHECK(missing_fact(row.facts) == row.missing);
  }
}

TEST_CASE("the facts of an anchor determine its verdict") {
  struct Row {
    std::string page;
    AnchorStatus status;
    FileDoubt doubt;
    bool may_be_reference;
    std::string hint;
    std::string cause;
    std::string verdict;
  };
  using enum AnchorStatus;
  using enum FileDoubt;
  const std::vector<Row> rows{
      {"a.md", missing, none, false, "", "", "dead anchor_not_found: a.md has no anchor \"x\""},
      {"a.md", missing, none, false, "; did you mean #y?", "",
       "dead anchor_not_found: a.md has no anchor \"x\"; did you mean #y?"},
      {"a.md", missing, none, true, "", "",
       "skipped relative_link: a.md has no anchor \"x\": a cross-reference that Sphinx resolves"},
      {"a.md", missing, is_source, false, "; did you mean #y?", "",
       "suspect anchor_not_found: a.md has no anchor \"x\"; the site generator may create one"},
      {"a.md", maybe_generated, none, true, "", "",
       "suspect anchor_not_found: a.md has no anchor \"x\"; the site generator may create one"},
      {"a.html", maybe_generated, none, false, "", "",
       "suspect anchor_not_found: a.html has no anchor \"x\"; its scripts may create one"},
      {"a.adoc", maybe_generated, none, false, "", "",
       "suspect anchor_not_found: a.adoc has no anchor \"x\"; an included or including file may have it"},
      {"a.md", missing, none, false, "", "removes the anchor \"x\" from a.md",
       "dead anchor_not_found: broken by this change, which removes the anchor \"x\" from a.md"},
      {"a.md", found, none, false, "", "", "alive ok: a.md exists"},
  };
  for (const Row& row : rows) {
    const LinkFacts facts{.name = row.page,
                          .found = regular_file,
                          .doubt = row.doubt,
                          .fragment = "x",
                          .may_be_reference = row.may_be_reference,
                          .anchor = row.status,
                          .page = row.page,
                          .hint = row.hint,
                          .cause = row.cause};
    CHECK(missing_fact(facts) == MissingFact::anchor);
    CHECK(evaluated(facts) == row.verdict);
  }
}

TEST_CASE("each site generator has its row of rules") {
  for (int i = 0; i <= static_cast<int>(SiteGenerator::eleventy); ++i) {
    const auto generator = static_cast<SiteGenerator>(i);
    CHECK(rules_of(generator).generator == generator);
  }
}
