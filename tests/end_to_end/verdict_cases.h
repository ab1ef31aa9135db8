// Reads the labelled set of verdicts/: how servers behave, and what a link to them is. The format is described in
// verdicts/README.md.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/small_internet.h"

namespace linkherd::tests {

enum class Label { gone, walled, alive, other };
inline constexpr std::array<std::string_view, 4> label_names{"gone", "walled", "alive", "other"};

// A response, and the requests that get it. An empty or zero condition matches every request.
struct ScriptedResponse {
  std::string host;    // the host of the case if empty
  std::string path;    // without query
  int run = 0;         // the number of the run, from 1
  int attempt = 0;     // the number of the request for this URL within a run, from 1
  std::string header;  // the name of a header that the request must have
  Page page;
};

struct VerdictCase {
  std::string url;
  std::string host;    // of the URL
  std::string target;  // of the URL
  Label label = Label::alive;
  std::vector<std::string> healths;       // that count as correct
  std::string entry;                      // the line of the list, including the URL
  std::string title;                      // of a saved page, if known
  std::string translated;                 // the same title in another language, if available
  std::string language;                   // of a saved page, if the page declares another one; "-" for none
  int run_count = 1;                      // number of runs, one per day; the verdict of the last one counts
  std::vector<ScriptedResponse> answers;  // the first match is used; the last is the default, without conditions
  bool same_everywhere = false;           // other paths get the default response instead of 404
  DnsBehaviour dns;
  CertificateKind certificate = CertificateKind::trusted;

  // Returns true for a fixed third of the hosts, which form the held-out set: rules are never tuned on them.
  bool is_held_out() const;
};

// Reads all cases of the .toml files in `folder`. Throws with file and line if a case does not have the documented
// format.
std::vector<VerdictCase> read_verdict_cases(const std::filesystem::path& folder);

// Reads saved pages as cases with the label alive. `folder` contains the files, manifest.tsv ("file TAB URL") and
// optionally gold.jsonl ({"page": file name, "title": …} per line). Translated titles and languages come from
// verdicts/*.tsv. A page without a URL, or with a placeholder URL (example.com), gets an invented one.
std::vector<VerdictCase> read_saved_pages(const std::filesystem::path& folder);

// Adds the hosts of the cases to the internet. `run` is read at every request; `cases` and `run` must exist as long
// as the internet answers requests.
void plant_verdict_cases(const std::vector<VerdictCase>& cases, const int& run, SmallInternet& internet);

}  // namespace linkherd::tests
