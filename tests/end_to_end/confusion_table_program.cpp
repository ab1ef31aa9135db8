// Prints how the program's verdicts compare with the labels of verdicts/. One table covers the hosts that rules may be
// tuned on, with every wrong case; another covers the held-out hosts.
//
// usage: linkherd_confusion_table [--all] [--cases FOLDER | --pages FOLDER... | --entries FOLDER...]
//   --all           also name the wrong cases of the held-out hosts
//   --cases FOLDER  another labelled set of the same format
//   --pages FOLDER  instead, use saved pages as alive pages of their hosts: manifest.tsv ("file TAB URL") and
//                   the files
//   --entries FOLDER  instead, use saved pages with a title in gold.jsonl: with their own titles as entries,
//                   and with the titles of other pages
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/end_to_end/confusion_table.h"
#include "tests/end_to_end/entry_figures.h"

using namespace linkherd::tests;

namespace {

void print_part(const std::vector<EvaluatedCase>& part, const char* title, bool name_wrong) {
  std::string text = fmt::format("{}: {} cases\n{}", title, part.size(), table_text(confusion_of(part)));
  if (name_wrong) text += wrong_verdicts(part);
  std::fputs((text + "\n").c_str(), stdout);
}

int print_tables(const std::vector<std::string>& words) {
  bool all = false;
  std::string labelled = LINKHERD_SOURCE_DIR "/tests/end_to_end/verdicts";
  bool entries = false;
  std::vector<VerdictCase> cases;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--all") {
      all = true;
    } else if (words[i] == "--cases" && i + 1 < words.size()) {
      labelled = words[++i];
    } else if (words[i] == "--pages" && i + 1 < words.size()) {
      for (VerdictCase& page : read_saved_pages(words[++i])) cases.push_back(std::move(page));
    } else if (words[i] == "--entries" && i + 1 < words.size()) {
      const std::string& folder = words[++i];
      std::fputs(fmt::format("{}\n{}\n", folder, entry_figures(read_saved_pages(folder))).c_str(), stdout);
      entries = true;
    } else {
      std::fputs("usage: linkherd_confusion_table [--all] [--cases FOLDER | --pages FOLDER... | --entries FOLDER...]\n",
                 stderr);
      return 3;
    }
  }
  if (entries && cases.empty()) return 0;
  const bool saved_pages = !cases.empty();
  if (!saved_pages) cases = read_verdict_cases(labelled);
  std::vector<EvaluatedCase> fitted;
  std::vector<EvaluatedCase> is_held_out;
  for (EvaluatedCase& one : evaluate(cases)) {
    (!saved_pages && one.of->is_held_out() ? is_held_out : fitted).push_back(std::move(one));
  }
  print_part(fitted, saved_pages ? "Saved pages" : "Hosts that rules may be fitted to", true);
  if (!saved_pages) print_part(is_held_out, "Hosts that are kept out", all);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return print_tables({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fputs(fmt::format("{}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
