// Measures the CPU of metadata extraction on saved pages: `metadata_bench FOLDER`. FOLDER contains pages and
// manifest.tsv with lines FILE<TAB>URL. Compares `linkherd metadata` (the whole process) with gumbo_parse on the
// unmodified bytes, and with trafilatura if $LINKHERD_BENCH_PYTHON (default python3) has it. trafilatura has two rows:
// its metadata alone, and the whole document, as its command and most programs use it. Limits: less than gumbo_parse,
// and at most a tenth of trafilatura.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gumbo.h>
#include <sys/resource.h>

#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {
namespace {

double own_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<std::string> read_pages(const std::filesystem::path& folder) {
  std::vector<std::string> pages;
  std::ifstream manifest(folder / "manifest.tsv");
  for (std::string line; std::getline(manifest, line);)
    pages.push_back(read_file(folder / line.substr(0, line.find('\t'))));
  return pages;
}

double measure_gumbo(const std::vector<std::string>& pages) {
  const double begin = own_seconds();
  for (const std::string& page : pages) {
    gumbo_destroy_output(&kGumboDefaultOptions,
                         gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size()));
  }
  return own_seconds() - begin;
}

// Returns the CPU seconds of the whole process, or 0 if it failed.
double measure_linkherd(const std::filesystem::path& folder) {
  const double begin = seconds_of_children();
  const ProgramResult result = run_program(LINKHERD_PROGRAM, {.arguments = {"metadata", "--files-from", "manifest.tsv"},
                                                              .environment = {},
                                                              .stdin_text = {},
                                                              .working_directory = folder,
                                                              .deadline = std::chrono::minutes(20)});
  return result.exit_code == 0 ? seconds_of_children() - begin : 0.0;
}

// Returns the lines NAME SECONDS of the script, which measures itself without the time to load its modules. Empty
// without trafilatura.
std::map<std::string, double> measure_trafilatura(const std::filesystem::path& folder) {
  const char* named = std::getenv("LINKHERD_BENCH_PYTHON");
  const ProgramResult result =
      run_program("/usr/bin/env", {.arguments = {named != nullptr ? named : "python3", LINKHERD_METADATA_BENCH},
                                   .environment = {},
                                   .stdin_text = {},
                                   .working_directory = folder,
                                   .deadline = std::chrono::minutes(20)});
  std::map<std::string, double> seconds;
  std::istringstream lines(result.exit_code == 0 ? result.out : std::string());
  std::string name;
  for (double value = 0.0; lines >> name >> value;) seconds[name] = value;
  return seconds;
}

int run(const std::filesystem::path& folder) {
  const std::vector<std::string> pages = read_pages(folder);
  if (pages.empty()) {
    fmt::print(stderr, "there is no manifest.tsv with pages in {}\n", folder.string());
    return 1;
  }
  std::size_t bytes = 0;
  for (const std::string& page : pages) bytes += page.size();
  fmt::print("{} pages, {:.1f} MB\n", pages.size(), static_cast<double>(bytes) * 1e-6);
  const double ours = measure_linkherd(folder);
  if (ours == 0.0) return 1;
  const auto row = [ours](std::string_view name, double seconds) {
    fmt::print("{:26} {:7.2f} s CPU  {:6.2f} x\n", name, seconds, seconds / ours);
  };
  row("linkherd metadata", ours);
  row("gumbo_parse alone", measure_gumbo(pages));
  const std::map<std::string, double> theirs = measure_trafilatura(folder);
  for (const auto& [name, seconds] : theirs) row("trafilatura " + name, seconds);
  if (theirs.empty()) fmt::print("trafilatura                not installed\n");
  return 0;
}

}  // namespace
}  // namespace linkherd::tests

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: metadata_bench FOLDER\n");
    return 3;
  }
  return linkherd::tests::run(argv[1]);
}
