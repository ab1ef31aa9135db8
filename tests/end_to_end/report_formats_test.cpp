// Tests one run that writes every format: all contain the same links in the same sections and are valid by their
// schemas.
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
using boost::json::value;

namespace {

using Counts = std::map<std::string, std::size_t>;

const std::string schemas = std::string(LINKHERD_SOURCE_DIR) + "/tests/end_to_end/schemas/";

Page page_of(const std::string& title, const std::string& text) {
  return html_page("<title>" + title + "</title><h1>" + title + "</h1><p>" + text + "</p>");
}

// Long enough for the comparison of texts.
const std::string about_compilers =
    "A compiler reads the source as tokens, builds a tree of them and checks its types. Later passes turn the tree "
    "into "
    "simple instructions, choose registers, and order what may run at the same time. Every chapter of this book adds "
    "one pass to a small language of its own, with exercises whose answers stand at the end. Readers should have seen "
    "an assembler and a linker before, and need no other tools than an editor. The last part is about memory: how "
    "objects are found that nobody uses any more, and what it costs to move those that stay.";
const std::string about_slots =
    "Spin the reels of ninety machines and take home the jackpot tonight. New players get a welcome bonus on their "
    "first deposit, with free rounds every Friday and a wheel of fortune for loyal guests. Our croupiers deal "
    "blackjack, "
    "baccarat and roulette live around the clock, payouts arrive within minutes, and the poker room opens at noon. Bet "
    "on football, tennis and horse races while you wait. Gambling can be addictive: play with care and only as adults.";

// A repository with a list in a folder, which is also the current folder. Pages appear and disappear between the two
// runs.
struct TwoRuns {
  TempDir repository;
  SmallInternet internet;

  TwoRuns() {
    repository.write(".git/HEAD", "ref: refs/heads/main\n");
    repository.write("docs/list.md",
                     "- [The guide](https://good.herd/guide)\n"
                     "- [The same guide](https://good.herd/guide?utm_source=list)\n"
                     "- [An old page](https://good.herd/old)\n"
                     "- [A page that went](https://gone.herd/x)\n"
                     "- [A page that came back](https://back.herd/)\n"
                     "- [An expired certificate](https://expired.herd/)\n"
                     "- [A certificate that ends](https://soon.herd/)\n"
                     "- [A wall](https://wall.herd/)\n"
                     "- [No answer](https://silent.herd/)\n"
                     "- [Compilers, chapter by chapter](https://book.herd/)\n"
                     "- [A placeholder](https://example.com/x)\n");
    const Page guide = page_of("The guide", "tells how a herd of sheep is led over a pass in the snow.");
    internet.host("good.herd").page("/guide", guide).page("/guide?utm_source=list", guide);
    internet.host("good.herd").page("/old", redirect_page(301, "/new"));
    internet.host("good.herd").page("/new", page_of("An old page", "remembers the shepherds of the village."));
    internet.host("gone.herd").page("/", page_of("A home page", "has no more than this."));
    internet.host("gone.herd").page("/x", page_of("A page that went", "counts the lambs of every spring."));
    internet.host("back.herd").page("/", status_page(404));
    internet.host("expired.herd").default_page(page_of("An expired certificate", "is about the bells of the cows."));
    internet.tls("expired.herd", CertificateKind::expired);
    internet.host("soon.herd").default_page(page_of("A certificate that ends", "is about the dogs of the herd."));
    internet.tls("soon.herd", CertificateKind::expires_tomorrow);
    internet.host("wall.herd").default_page(status_page(403));
    internet.host("silent.herd").default_page(status_page(503));
    internet.host("book.herd").page("/", page_of("Compilers, chapter by chapter", about_compilers));
    CHECK(run({}).exit_code == 2);
    internet.host("gone.herd").page("/x", status_page(404));
    internet.host("back.herd").page("/", page_of("A page that came back", "is about hay and its many kinds."));
    internet.host("book.herd").page("/", page_of("Lucky Spins Casino", about_slots));
  }

  ProgramResult run(std::vector<std::string> more) const {
    more.insert(more.end(), {"--store", "../store", "--max-cache-age", "0", "list.md"});
    return run_linkherd(repository / "docs", check_arguments(internet, more));
  }
  std::string file(const std::string& name) const { return read_file(repository / "docs" / name); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + open.size());
  return std::string(text.substr(0, text.find(close)));
}

std::string string_member(const value& object, const char* key) { return std::string(object.at(key).as_string()); }

Counts without(Counts counts, const std::vector<std::string>& sections) {
  for (const std::string& section : sections) counts.erase(section);
  return counts;
}

// Counts the different items of each section. Few formats list what is fine.
class BySection {
 public:
  void add(const std::string& section, const std::string& what) {
    if (section != "fine") found_[section].insert(what);
  }
  Counts counts() const {
    Counts counts;
    for (const auto& [section, things] : found_) counts[section] = things.size();
    return counts;
  }

 private:
  std::map<std::string, std::set<std::string>> found_;
};

// Returns the numbers in headings such as "::group::dead (2)" and "| dead | 2 |".
Counts shown_counts(const std::string& text, std::string_view open, std::string_view middle) {
  Counts counts;
  for (const std::string& line : lines_of(text)) {
    const std::string number = between(line, middle, ")");
    if (line.starts_with(open) && !number.empty() && number.front() >= '0' && number.front() <= '9')
      counts[between(line, open, middle)] = std::stoul(number);
  }
  counts.erase("fine");
  return counts;
}

ProgramResult run_tool(const std::vector<std::string>& words) {
  ProgramOptions options;
  options.arguments = words;
  return run_program("/usr/bin/env", options);
}

bool has_tool(const std::string& name) { return run_tool({"sh", "-c", "command -v " + name}).exit_code == 0; }

// Checks nothing where the validator is missing.
void validate(std::vector<std::string> words) {
  if (!has_tool("python3")) {
    MESSAGE("skipped: python3 is not installed");
    return;
  }
  words.insert(words.begin(), {"python3", schemas + "validate.py"});
  const ProgramResult result = run_tool(words);
  CAPTURE(result.out);
  CAPTURE(result.err);
  if (result.exit_code == 77) {
    MESSAGE("skipped: python3-jsonschema is not installed");
  } else {
    CHECK(result.exit_code == 0);
  }
}

}  // namespace

TEST_CASE("one run writes every format with the same counts and each file is valid") {
  const TwoRuns runs;
  std::vector<std::string> outputs;
  for (const char* format :
       {"json", "jsonl", "csv", "markdown", "github", "junit", "sarif", "rdjson", "gitlab", "lychee-json", "text"})
    outputs.insert(outputs.end(), {"--output", std::string(format) + ":all." + format});
  const ProgramResult second = runs.run(outputs);
  CAPTURE(second.err);
  CHECK(second.exit_code == 2);
  const ProgramResult of_changes = runs.run({"--changes", "--format", "issue"});
  CHECK(of_changes.exit_code == 3);
  CHECK(holds(of_changes.err, "linkherd report --format issue"));

  const value json = boost::json::parse(runs.file("all.json"));
  CHECK(json.at("outcome").at("exit_code") == 2);
  Counts expected;
  for (const auto& [section, number] : json.at("summary").at("sections").as_object()) {
    if (number != 0 && section != "fine") expected[std::string(section)] = number.to_number<std::size_t>();
  }
  CAPTURE(boost::json::serialize(json.at("summary")));
  CHECK(expected == Counts{{"dead", 1},
                           {"insecure", 1},
                           {"drift", 1},
                           {"moved", 1},
                           {"blocked", 1},
                           {"unreachable", 1},
                           {"skipped", 1},
                           {"repeated", 1},
                           {"certificates", 1},
                           {"changes", 3}});
  const Counts listed = without(expected, {"changes"});
  const Counts links = without(listed, {"repeated", "certificates"});

  BySection jsonl;
  for (const boost::json::object& link : json_lines(runs.file("all.jsonl")))
    jsonl.add(string_member(link, "section"), string_member(link, "url"));
  CHECK(jsonl.counts() == links);

  BySection csv;
  for (const std::string& row : lines_of(runs.file("all.csv"))) {
    if (!row.starts_with("section,")) csv.add(row.substr(0, row.find(',')), row);
  }
  CHECK(csv.counts() == listed);

  BySection sarif;
  const value sarif_run = boost::json::parse(runs.file("all.sarif")).at("runs").at(0);
  for (const value& result : sarif_run.at("results").as_array()) {
    sarif.add(string_member(result.at("properties"), "section"), string_member(result.at("message"), "text"));
    const value& location = result.at("locations").at(0).at("physicalLocation").at("artifactLocation");
    CHECK(location.at("uri") == "docs/list.md");
  }
  CHECK(sarif.counts() == listed);

  BySection rdjson;
  const value diagnostics = boost::json::parse(runs.file("all.rdjson")).at("diagnostics");
  for (const value& one : diagnostics.as_array())
    rdjson.add(string_member(one, "original_output"), string_member(one, "message"));
  CHECK(rdjson.counts() == listed);

  BySection gitlab;
  const value issues = boost::json::parse(runs.file("all.gitlab"));
  for (const value& one : issues.as_array()) {
    const std::string name = string_member(one, "check_name");
    gitlab.add(name.substr(0, name.find('/')), string_member(one, "fingerprint"));
    CHECK(one.at("location").at("path") == "docs/list.md");
  }
  CHECK(gitlab.counts() == listed);

  BySection junit;
  for (const std::string& line : lines_of(runs.file("all.junit"))) {
    if (holds(line, "<testcase ")) junit.add(between(line, "classname=\"", "\""), line);
  }
  CHECK(junit.counts() == listed);

  const std::string github = runs.file("all.github");
  CHECK(shown_counts(github, "::group::", " (") == expected);
  CHECK(holds(github, "::error file=docs/list.md,line=4,col=22,"));
  std::string table;
  for (const std::string& line : lines_of(runs.file("all.markdown"))) {
    if (line.starts_with("| ")) table += line.substr(2, line.find(" |", line.find(" | ") + 3) - 2) + ")\n";
  }
  CHECK(shown_counts(table, "", " | ") == expected);
  CHECK(boost::json::parse(runs.file("all.lychee-json")).at("errors") == 2);

  validate({"--closed", std::string(LINKHERD_SOURCE_DIR) + "/reports/schema.json",
            (runs.repository / "docs/all.json").string()});
  validate({schemas + "sarif-2.1.0.json", (runs.repository / "docs/all.sarif").string()});
  validate({schemas + "rdjson.json", (runs.repository / "docs/all.rdjson").string()});
  validate({schemas + "gitlab-code-quality.json", (runs.repository / "docs/all.gitlab").string()});
  if (has_tool("xmllint")) {
    const ProgramResult result = run_tool({"xmllint", "--noout", "--nonet", "--schema", schemas + "junit-10.xsd",
                                           (runs.repository / "docs/all.junit").string()});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
  } else {
    MESSAGE("skipped: xmllint is not installed");
  }
}

TEST_CASE("every occurrence of a link to a file counts in lychee-json") {
  const TempDir folder;
  folder.write("x.md", "# X\n");
  folder.write("a.md", "[x](x.md)\n\n[x](x.md)\n\n[x](x.md)\n");
  folder.write("b.md", "[x](x.md)\n\n[y](y.md)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), {"check", "--offline", "--no-store", "--format", "lychee-json", "a.md", "b.md"});
  CHECK(result.exit_code == 2);
  const value lychee = boost::json::parse(result.out);
  CHECK(lychee.at("total") == 5);
  CHECK(lychee.at("successful") == 4);
  CHECK(lychee.at("errors") == 1);
}

TEST_CASE("the printed JSON schema describes the lines") {
  const TwoRuns runs;
  const auto print = [&](const std::vector<std::string>& words, const std::string& name) {
    const ProgramResult printed = run_linkherd(runs.repository / "docs", words);
    CHECK(printed.exit_code == 0);
    runs.repository.write(name, printed.out);
    return (runs.repository / name).string();
  };
  const std::string report = print({"schema"}, "report.json");
  CHECK(read_file(report) == read_file(std::string(LINKHERD_SOURCE_DIR) + "/reports/schema.json"));
  const std::string link = print({"schema", "link"}, "link.json");
  const ProgramResult output =
      run_linkherd(runs.repository / "docs", {"report", "--store", "../store", "--format", "jsonl"});
  CHECK(output.exit_code == 0);
  runs.repository.write("links.jsonl", output.out);
  validate({"--closed", link, (runs.repository / "links.jsonl").string()});
  const std::string occurrence = print({"schema", "occurrence"}, "occurrence.json");
  validate({"--closed", occurrence, print({"links", "--format", "jsonl", "list.md"}, "occurrences.jsonl")});
  CHECK(run_linkherd(runs.repository / "docs", {"schema", "nothing"}).exit_code == 3);
}

TEST_CASE("a report shows the changes since any earlier run") {
  const TwoRuns runs;
  CHECK(runs.run({}).exit_code == 2);
  CHECK(runs.run({}).exit_code == 2);
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"report", "--store", "../store"});
    return run_linkherd(runs.repository / "docs", more);
  };
  const auto changes = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult output = report(words);
    CAPTURE(output.err);
    CHECK(output.exit_code == 0);
    return boost::json::parse(output.out).at("changes");
  };
  const value last = changes({});
  CHECK(last.at("since").at("number") == 2);
  CHECK(last.at("new") == 0);
  CHECK(last.at("still") == 3);
  CHECK(changes({"--since", "last"}) == last);
  const value first = changes({"--since", "1"});
  CHECK(first.at("since").at("number") == 1);
  CHECK(first.at("new") == 1);
  CHECK(first.at("drifted") == 1);
  CHECK(first.at("recovered") == 1);
  CHECK(first.at("still") == 1);
  CHECK(changes({"--run", "2"}) == first);
  CHECK(changes({"--run", "1"}).is_null());
  CHECK(changes({"--run", "1", "--since", "3"}).at("recovered") == 2);  // in either direction
  CHECK(changes({"--since", "2999-01-01"}) == last);

  const std::string text = report({"--since", "1", "--changes"}).out;
  CAPTURE(text);
  CHECK(holds(text, "Changes (3)\n"));
  CHECK(holds(text, "Newly broken (1)\n    list.md:4:22  A page that went\n"));
  CHECK(holds(text, "was alive, fails since 2"));
  CHECK(holds(text, "Works again (1)\n    list.md:5:27  A page that came back\n"));
  CHECK(holds(text, "1 still broken or suspect"));
  CHECK_FALSE(holds(text, "An expired certificate"));
  CHECK(json_lines(report({"--since", "1", "--changes", "--format", "jsonl"}).out).size() == 3);
  CHECK(holds(report({"--run", "1", "--changes"}).out, "There is no earlier complete run of these inputs"));

  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--since", "7"}, {"--since", "3"}, {"--since", "2001-01-01"}}) {
    const ProgramResult refused = report(wrong);
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
  }
  CHECK(report({"--since", "yesterday"}).exit_code == 3);
}

TEST_CASE("an audit folder has all of a run and is reproducible") {
  TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").page("/guide", page_of("The guide", "tells how a herd of sheep is led over a pass."));
  internet.host("gone.herd").page("/x", status_page(404));
  folder.write("list.md", "- [The guide](https://good.herd/guide)\n- [A page that went](https://gone.herd/x)\n");
  const auto run = [&folder](const std::vector<std::string>& words) { return run_linkherd(folder.path(), words); };

  CHECK(run(check_arguments(internet, {"--store", "store", "--audit", "first", "list.md"})).exit_code == 2);
  folder.write("second/.keep", "");
  CHECK(run({"report", "--store", "store", "--audit", "second"}).exit_code == 1);  // every section has an item
  std::filesystem::remove(folder / "second/.keep");
  CHECK(run({"report", "--store", "store", "--audit", "second/"}).exit_code == 0);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "first")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    names.insert(name);
    CHECK(read_file(folder / "first" / name) == read_file(folder / "second" / name));
  }
  CHECK(names == std::set<std::string>{"README.md", "catalogue.csv", "catalogue.json", "pages.cdxj", "pages.warc.gz",
                                       "report.csv", "report.html", "report.json", "run.json"});
  CHECK(holds(read_file(folder / "first/pages.cdxj"), "herd,good)/guide"));
  const value output = boost::json::parse(read_file(folder / "first/run.json"));
  CHECK(output.at("exit_code") == 2);
  CHECK(output.at("run").at("number") == 1);
  CHECK(read_file(folder / "first/catalogue.csv") == run({"export", "--store", "store", "--format", "csv"}).out);

  for (const std::vector<std::string>& words : {std::vector<std::string>{"--no-store", "--audit", "x"},
                                                {"--offline", "--audit", "x"},
                                                {"--audit", "store/x"}}) {
    std::vector<std::string> all = {"check", "list.md"};
    if (words.front() == "--audit") all.insert(all.end(), {"--store", "store"});
    all.insert(all.end(), words.begin(), words.end());
    CHECK(run(all).exit_code == 3);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK_FALSE(entry.path().string().ends_with(".new"));
}

TEST_CASE("the text report mentions metadata only if it was requested") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(page_of("A guide", "Some words."));
  folder.write("list.md", "[guide](https://good.herd/guide)\n");
  const std::string line = "Metadata of 1 page: ";
  const auto printed = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"--max-cache-age", "0", "--output", "text:-"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("list.md");
    const ProgramResult result = run_linkherd(folder.path(), check_arguments(internet, words));
    return result.out + result.err;
  };
  CHECK_FALSE(holds(printed({"--no-store"}), line));
  CHECK_FALSE(holds(printed({"--store", "store"}), line));
  CHECK_FALSE(holds(printed({"--no-store", "--all", "--harvest", "none"}), line));
  CHECK(holds(printed({"--no-store", "--all"}), line));
}
