#include "tests/end_to_end/confusion_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

namespace json = boost::json;

Found found_of(const std::string& health) {
  if (health == "alive" || health == "redirected") return Found::alive;
  if (health == "blocked") return Found::blocked;
  if (health == "suspect") return Found::suspect;
  if (health == "dead") return Found::dead;
  return Found::other;
}

EvaluatedCase evaluated(const VerdictCase& one, const json::object& line) {
  const std::string health(line.at("health").as_string());
  EvaluatedCase made{&one, found_of(health), false, {}, std::string(line.at("evidence").as_string()), {}};
  if (const json::value* language = line.at("metadata").as_object().if_contains("language");
      language != nullptr && language->is_string()) {
    made.language = std::string(language->as_string()).substr(0, 2);
  }
  made.right = std::ranges::find(one.healths, health) != one.healths.end();
  made.verdict = fmt::format("{} {} ({})", health, std::string(line.at("reason").as_string()),
                             std::string(line.at("rule").as_string()));
  return made;
}

// Returns the output of run `run` by URL. There is one run per day.
std::map<std::string, json::object> run_once(const SmallInternet& internet, const TempDir& folder, int run) {
  const std::string now = fmt::format("2026-03-{:02}T10:00:00Z", 4 + run);
  // On a busy machine, some of 500 simultaneous handshakes exceed the default timeout.
  const ProgramResult result = run_linkherd(
      folder.path(),
      check_arguments(internet, {"--now", now, "--store", "store", "--format", "jsonl", "--host-concurrency", "2",
                                 "--duplicates", "off", "--timeout", "100s", "--connect-timeout", "100s", "list.md"}));
  if (result.exit_code != 0 && result.exit_code != 2) {
    throw std::runtime_error(fmt::format("the run ended with {}: {}", result.exit_code, result.err));
  }
  std::map<std::string, json::object> lines;
  for (json::object& line : json_lines(result.out)) {
    const std::string url(line.at("url").as_string());
    lines[url] = std::move(line);
  }
  return lines;
}

}  // namespace

std::vector<EvaluatedCase> evaluate(const std::vector<VerdictCase>& cases) {
  int run = 1;
  int last = 1;
  SmallInternet internet;
  plant_verdict_cases(cases, run, internet);
  for (const VerdictCase& one : cases) last = std::max(last, one.run_count);
  const TempDir folder;
  std::vector<EvaluatedCase> all;
  for (; run <= last; ++run) {
    std::string list;
    for (const VerdictCase& one : cases) {
      if (one.run_count >= run) list += one.entry + "\n\n";
    }
    folder.write("list.md", list);
    const std::map<std::string, json::object> lines = run_once(internet, folder, run);
    for (const VerdictCase& one : cases) {
      if (one.run_count != run) continue;
      const auto line = lines.find(one.url);
      if (line == lines.end()) throw std::runtime_error("the report has no line for " + one.url);
      all.push_back(evaluated(one, line->second));
    }
  }
  return all;
}

int Confusion::count(Label label) const {
  const auto& row = counts.at(static_cast<std::size_t>(label));
  return std::accumulate(row.begin(), row.end(), 0);
}

int Confusion::count(Label label, Found found) const {
  return counts.at(static_cast<std::size_t>(label)).at(static_cast<std::size_t>(found));
}

Confusion confusion_of(const std::vector<EvaluatedCase>& evaluated) {
  Confusion confusion;
  for (const EvaluatedCase& one : evaluated) {
    const auto label = static_cast<std::size_t>(one.of->label);
    ++confusion.counts.at(label).at(static_cast<std::size_t>(one.found));
    confusion.right.at(label) += one.right ? 1 : 0;
  }
  return confusion;
}

std::string table_text(const Confusion& confusion) {
  std::string text = fmt::format("{:8}", "");
  for (const std::string_view name : found_names) text += fmt::format("{:>9}", name);
  text += fmt::format("{:>16}\n", "right");
  for (std::size_t label = 0; label < label_names.size(); ++label) {
    text += fmt::format("{:8}", label_names.at(label));
    for (const int number : confusion.counts.at(label)) text += fmt::format("{:9}", number);
    const int all = confusion.count(static_cast<Label>(label));
    const int right = confusion.right.at(label);
    text += fmt::format("{:9} {:5.1f} %\n", right, all == 0 ? 100.0 : 100.0 * right / all);
  }
  return text;
}

std::string wrong_verdicts(const std::vector<EvaluatedCase>& evaluated) {
  std::string text;
  for (const EvaluatedCase& one : evaluated) {
    if (one.right) continue;
    text += fmt::format("  {}: {} is {}: {}\n", label_names.at(static_cast<std::size_t>(one.of->label)), one.of->url,
                        one.verdict, one.evidence);
  }
  return text;
}

}  // namespace linkherd::tests
