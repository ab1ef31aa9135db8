// Reads the labelled set of verdicts/: how servers behave and what a link to them is. verdicts/README.md describes its
// format.
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

// An answer, and the requests that get it. What is empty or 0 holds for any.
struct ScriptedAnswer {
  std::string host;    // the case's own where empty
  std::string path;    // without query
  int look = 0;        // the run, from 1
  int attempt = 0;     // the request for this URL within a run, from 1
  std::string header;  // the request has a header of that name
  Page page;
};

struct VerdictCase {
  std::string url;
  std::string host;    // of the URL
  std::string target;  // of the URL
  Label label = Label::alive;
  std::vector<std::string> healths;     // that are right
  std::string entry;                    // the line of the list, with the URL
  std::string title;                    // of a saved page, where it is known
  std::string translated;               // that title in another language, where somebody wrote it
  std::string language;                 // of a saved page, where it is not what the page names; "-" for none
  int looks = 1;                        // runs, a day apart; the last one's verdict counts
  std::vector<ScriptedAnswer> answers;  // the first that fits; one without conditions is the page's own and comes last
  bool same_everywhere = false;         // other paths get the page's own answer, not 404
  DnsBehaviour dns;
  CertificateKind certificate = CertificateKind::trusted;

  // A third of the hosts, always the same ones: rules are never fitted to them.
  bool kept_out() const;
};

// All cases of the .toml files of `folder`. Throws, with file and line, where one is not as the format wants it.
std::vector<VerdictCase> read_verdict_cases(const std::filesystem::path& folder);

// Saved pages as cases that are alive: `folder` has manifest.tsv ("file TAB URL") and the files, and perhaps gold.jsonl
// ({"page": the file's name, "title": …} a line); translated titles and languages are those of verdicts/*.tsv. One
// without a URL of its own, or with one that stands for nothing (example.com), gets a made-up one.
std::vector<VerdictCase> read_saved_pages(const std::filesystem::path& folder);

// Gives the cases' hosts to the internet. `look` is read at every request; both must outlive the internet's answers.
void plant_verdict_cases(const std::vector<VerdictCase>& cases, const int& look, SmallInternet& internet);

}  // namespace linkherd::tests
